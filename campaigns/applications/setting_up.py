"""Whether an application is available: finds Debian's packages (`./bootstrap applications` installs them); installs
wheels into a new venv."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

from recipe import DEBIANS_PYTHON, Recipe

PIP_LIMIT = 900.0  # seconds


class Unavailable(Exception):
    """One line: why an application cannot be run here."""


def run(command: list[str], what: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PIP_LIMIT, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{what}: {error}") from None
    if done.returncode != 0:
        lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise Unavailable(f"{what} failed: {lines[-1] if lines else f'status {done.returncode}'}"[:300])


def missing_packages(packages: tuple[str, ...]) -> list[str]:
    if shutil.which("dpkg-query") is None:
        return []  # another system's own packages may do: what is run is looked for as well
    missing = []
    for package in packages:
        command = ["dpkg-query", "-W", "-f=${db:Status-Status}", package]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.stdout != "installed":
            missing.append(package)
    return missing


def stamp_of(folder: Path, words: tuple[str, ...]) -> Path:
    return folder / f".done-{hashlib.sha256(repr(words).encode()).hexdigest()[:12]}"


def install_wheels(recipe: Recipe, venv: Path) -> None:
    stamp = stamp_of(venv, recipe.pypi)
    if stamp.exists():
        return
    if not (venv / "bin" / "pip").exists():
        run([str(DEBIANS_PYTHON), "-m", "venv", "--clear", str(venv)], "making a venv")
    # Wheels only: what a compiler here would make is not what users run.
    command = [str(venv / "bin" / "pip"), "install", "--quiet", "--no-input", "--only-binary", ":all:", *recipe.pypi]
    run(command, f"pip install {' '.join(recipe.pypi)}")
    stamp.touch()


def prepare_inputs(recipe: Recipe, folder: Path) -> None:
    inputs = folder / "inputs" / recipe.name
    stamp = stamp_of(inputs, (recipe.version(),))
    if stamp.exists():
        return
    shutil.rmtree(inputs, ignore_errors=True)
    inputs.mkdir(parents=True)
    try:
        recipe.prepare(inputs)
    except OSError as error:
        raise Unavailable(f"its inputs could not be made: {error}") from None
    stamp.touch()


def set_up(recipe: Recipe, folder: Path) -> None:
    """Raises Unavailable."""
    missing = missing_packages(recipe.debian)
    if missing:
        raise Unavailable(f"not installed: {' '.join(missing)} (apt-get install, or ./bootstrap applications)")
    for program in recipe.programs:
        if shutil.which(program) is None and not Path(program).is_file():
            raise Unavailable(f"there is no {program}")
    if recipe.pypi:
        install_wheels(recipe, folder / "venv")
    prepare_inputs(recipe, folder)
