# awk -v file=PATH -f plant.awk planted.txt PATH: writes a source of the machine with all faults of planted.txt that are in it, each behind
# the question whether it is planted.

FNR == NR {
  if ($1 == "fault") { fault = $2; place = "" }
  if ($1 == "on" && /node=1/) place = "_in_node_1"
  if ($1 == "in") here = $2 == file
  if ($1 == "-" && here) right[++changes] = substr($0, 5)
  if ($1 == "+" && here) {
    wrong[changes] = substr($0, 5)
    gsub(/planted/, "planted" place "(\"" fault "\")", wrong[changes])
    name[changes] = fault
  }
  next
}

{ source = source $0 "\n" }

END {
  for (i = 1; i <= changes; ++i) {
    at = index(source, right[i])
    if (right[i] == "" || at == 0 || index(substr(source, at + 1), right[i]) > 0) {
      print "planted.txt: " name[i] ": this has to be in " file " once: " right[i] > "/dev/stderr"
      exit 1
    }
    source = substr(source, 1, at - 1) wrong[i] substr(source, at + length(right[i]))
  }
  if (changes == 0) {
    print "planted.txt: nothing is planted in " file > "/dev/stderr"
    exit 1
  }
  printf "#include \"tests/hw/planted.h\"\n#line 1 \"%s\"\n%s", file, source
}
