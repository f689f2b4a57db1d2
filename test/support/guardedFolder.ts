import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * The guard reads one process id a line, 0 for none. Its standard input ends when this process closes it,
 * and also when this process dies, `kill -9` included: then only the guard can clean up.
 */
const guard = `
guarded=0
while read -r line; do guarded=$line; done
if [ "$guarded" -gt 0 ] && kill -s "$2" "$guarded" 2>/dev/null; then
  tries=0
  while kill -0 "$guarded" 2>/dev/null && [ "$tries" -lt 100 ]; do tries=$((tries + 1)); sleep 0.05; done
fi
rm -rf "$1"
`

export interface GuardedFolder {
  readonly path: string
  /** Sets the process that uses the folder; it is signalled if this process dies first. */
  readonly protect: (pid: number) => void
  /** Call this when that process has ended, because its id may be reused. */
  readonly forget: () => void
  readonly remove: () => Promise<void>
}

/** A temporary folder that is removed when this process ends, together with the server running in it. */
export const guardedFolder = async (
  prefix: string,
  { signal = "KILL", parent = tmpdir() }: { readonly signal?: "KILL" | "QUIT" | "TERM"; readonly parent?: string } = {}
): Promise<GuardedFolder> => {
  const path = await mkdtemp(join(parent, `${prefix}-`))
  // A separate session, so that Ctrl-C in the terminal does not end the guard before it has cleaned up.
  const child = spawn("/bin/sh", ["-c", guard, "guard", path, signal], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"]
  })
  const ended = once(child, "exit")
  child.unref()
  child.stdin.on("error", () => undefined)
  return {
    path,
    protect: (pid) => void child.stdin.write(`${pid}\n`),
    forget: () => void child.stdin.write("0\n"),
    remove: async () => {
      child.ref()
      child.stdin.end()
      await ended
    }
  }
}
