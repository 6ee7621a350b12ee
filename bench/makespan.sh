#!/usr/bin/env bash
# The batch of 12 reads and 8 writes of 50 ms over 4 files: ours, through the library and through the
# command, beside two Python SDKs with their own settings, in one run. The best that order allows is
# 250 ms. TOOLPOST_CASES names the folder with the peers' scripts.
set -euo pipefail
cases=${TOOLPOST_CASES:?set it to the folder that has bench/dynamic-peers}
cd "$(dirname "$0")/.."

venv=${VENV:-$(mktemp -d)}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet openai-agents langgraph langchain-core

cargo bench --quiet -p toolpost-run --bench makespan
cargo bench --quiet -p toolpost-cli --bench makespan
cd "$cases/bench/dynamic-peers"
for peer in openai_agents langgraph; do
  PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" "bench_$peer.py" | grep makespan
done
