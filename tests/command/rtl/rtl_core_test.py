#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hw/rtl/ecube.core has the form that FuseSoC reads, by a schema of our own; its files exist and are those of ecube.f in
the same order, and its targets name what there is. A core file with a mistake of each kind is refused."""
import copy
import json
import pathlib
import re
import sys

try:
    import jsonschema
    import yaml
except ImportError as missing:
    sys.exit(f"{missing.name} is missing: cmake/packages/install extra")

here = pathlib.Path(__file__).resolve().parent
rtl = here.parent.parent.parent / "hw" / "rtl"
schema = json.loads((here / "rtl_core_schema.json").read_text())
core = yaml.safe_load((rtl / "ecube.core").read_text())


def mistakes(core):
    """What is wrong with the core file."""
    found = [f"{'/'.join(map(str, e.path))}: {e.message}" for e in jsonschema.Draft7Validator(schema).iter_errors(core)]
    if found:
        return found
    listed = [line for line in (rtl / "ecube.f").read_text().splitlines() if line.endswith(".sv")]
    if core["filesets"].get("rtl", {}).get("files") != listed:
        found.append("the file set rtl is not ecube.f")
    for fileset in core["filesets"].values():
        found += [f"there is no file {name}" for name in fileset["files"] if not (rtl / name).is_file()]
    if found:
        return found
    for name, target in core["targets"].items():
        unknown = set(target["filesets"]) - set(core["filesets"]) | set(target.get("parameters", [])) - set(core["parameters"])
        found += [f"target {name}: there is no {word}" for word in sorted(unknown)]
        files = [file for fileset in target["filesets"] for file in core["filesets"].get(fileset, {}).get("files", [])]
        text = "\n".join((rtl / file).read_text() for file in files)
        top = re.search(rf"^module {target['toplevel']}\b.*?^\) \(|^module {target['toplevel']}\b.*?\);", text, re.S | re.M)
        if top is None:
            found.append(f"target {name}: no file has the module {target['toplevel']}")
            continue
        found += [f"target {name}: {target['toplevel']} has no parameter {parameter}"
                  for parameter in target.get("parameters", []) if f"parameter int {parameter} " not in top.group()]
        tools = set(target.get("tools", {}))
        if tools - {target.get("default_tool")}:
            found.append(f"target {name}: options of another tool than its own")
    return found


def changed(change):
    wrong = copy.deepcopy(core)
    change(wrong)
    return mistakes(wrong)


failed = mistakes(core)
planted = {
    "a misspelled key": (lambda c: c["targets"]["lint"].update(toplevle="ecube_fabric"), "toplevle"),
    "a file type that is none": (lambda c: c["filesets"]["rtl"].update(file_type="systemVerilog"), "systemVerilog"),
    "a name without a version": (lambda c: c.update(name="::ecube_fabric"), "does not match"),
    "a file left out": (lambda c: c["filesets"]["rtl"]["files"].pop(), "not ecube.f"),
    "a file that is not there": (lambda c: c["filesets"]["bench"]["files"].append("bench/none.sv"), "bench/none.sv"),
    "a file set that is not there": (lambda c: c["targets"]["sim"]["filesets"].append("benches"), "no benches"),
    "a module that is not there": (lambda c: c["targets"]["lint"].update(toplevel="ecube_cube"), "no file has the module"),
    "a parameter of another module": (lambda c: c["targets"]["sim"]["parameters"].append("Ports"), "no parameter Ports"),
}
for name, (change, text) in planted.items():
    said = changed(change)
    if not any(text in line for line in said):
        failed.append(f"{name} is not noticed: {said}")
print("\n".join(failed))
sys.exit(1 if failed else 0)
