"""Tool information for BenchExec: how the competitions run Cleave, and what its last line means.

To try it, with Cleave in PATH: `PYTHONPATH=bench python3 -m benchexec.test_tool_info testcomp.cleave --no-container`.
"""

import os

import benchexec.result as result
import benchexec.tools.template
from benchexec.tools.sv_benchmarks_util import ILP32, LP64, get_data_model_from_task

# Seconds of processor time in which the run ends and its last files are written.
MARGIN = 30


class Tool(benchexec.tools.template.BaseTool2):
    """Cleave, by `cleave testcomp` for tests and `cleave svcomp` for verdicts."""

    REQUIRED_PATHS = ["bin", "share"]

    def name(self):
        return "Cleave"

    def executable(self, tool_locator):
        return tool_locator.find_executable("cleave", subdir="bin")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="cleave")

    def cmdline(self, executable, options, task, rlimits):
        if not task.property_file:
            raise benchexec.tools.template.UnsupportedFeatureException("a task without a property")
        words = [executable, command_of(task.property_file), "--property", task.property_file]
        model = get_data_model_from_task(task, {ILP32: "ILP32", LP64: "LP64"})
        if model and "--data-model" not in options:
            words += ["--data-model", model]
        seconds = rlimits.cputime or rlimits.walltime
        if seconds and "--max-time" not in options:
            words += ["--max-time", str(max(seconds - MARGIN, seconds // 2))]
        if rlimits.memory and "--max-memory" not in options:
            words += ["--max-memory", str(rlimits.memory // 10 * 9 // 2**20)]
        return words + options + list(task.input_files)

    def determine_result(self, run):
        for line in reversed(run.output):
            line = line.strip()
            if line == "TRUE":
                return result.RESULT_TRUE_PROP
            if line.startswith("FALSE(") and line.endswith(")"):
                return result.RESULT_FALSE_PROP + line[5:]
            if line == "DONE":
                return result.RESULT_DONE
            if line == "UNKNOWN":
                return result.RESULT_UNKNOWN
            if line:
                break
        return result.RESULT_ERROR


def command_of(property_file):
    """The command for a property: Test-Comp's files begin with `coverage`."""
    return "testcomp" if os.path.basename(property_file).startswith("coverage") else "svcomp"
