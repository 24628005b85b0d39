_ecube() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' values='' word i
  COMPREPLY=()
  # Bash makes three words of --option=value.
  if [[ $current == = ]]; then
    current=''
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    [[ " $(_ecube_commands "$command") " != *" $word "* ]] || command+=${command:+ }$word
  done
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_ecube_options "$command")" -- "$current")
    return
  fi
  if [[ $previous == -* && " $(_ecube_flags "$command") " != *" $previous "* ]]; then
    values=$previous
  else
    mapfile -t COMPREPLY < <(compgen -W "$(_ecube_commands "$command")" -- "$current")
    values=$command
  fi
  word=$(_ecube_values "$values")
  if [[ -n $word ]]; then
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$word" -- "$current")
    [[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace 2>/dev/null
  fi
  if [[ -z $word || " $(_ecube_or_files) " == *" ${values// /_} "* ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -F _ecube ecube
