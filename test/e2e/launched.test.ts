import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { compileCache, surroundings } from "../support/surroundings.ts"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { guardedFolder } from "../support/guardedFolder.ts"
import { prepareDataFolder } from "../support/spawnServer.ts"
import { readStatus } from "../support/callAt.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** Runs a command line in the repository with a server's settings, until its port responses. */
const startBy = async (command: string, args: ReadonlyArray<string>) => {
  const folder = await guardedFolder("edp-launched")
  const port = await freePort()
  prepareDataFolder(join(folder.path, "data"))
  const child = spawn(command, args, {
    cwd: root,
    // A separate process group, so that no signal reaches the test.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...surroundings(), ...compileCache, PORT: `${port}`, EDP_DATA_DIR: join(folder.path, "data") }
  })
  folder.protect(child.pid!)
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()))
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text))
  }
  const url = `http://127.0.0.1:${port}/health/ready`
  await eventually("the server is ready", async () => ((await readStatus(url, 2000)) === 200 ? true : undefined))
  return {
    pid: child.pid!,
    type: (text: string) => child.stdin.write(text),
    output: () => output,
    exited,
    /** Waits until the server has released its port and folder, and every process of the command line has exited. */
    gone: async () => {
      await eventually(`the server is gone:\n${output}`, async () =>
        (await readStatus(url, 2000)) === undefined && !existsSync(join(folder.path, "data", "lock")) ? true : undefined
      )
      await exited
      folder.forget()
      await folder.remove()
    }
  }
}

describe("npx pnpm start", () => {
  const npx = ["-y", "pnpm@12", "start"]

  test.each(["SIGTERM", "SIGKILL"] as const)("ends with its server at %s", async (signal) => {
    const started = await startBy("npx", npx)
    process.kill(started.pid, signal)
    await started.gone()
  })

  test("ends with its server at one Ctrl-C", async () => {
    const started = await startBy("script", ["-q", "-e", "-f", "-c", `npx ${npx.join(" ")}`, "/dev/null"])
    started.type("\x03")
    await started.gone()
    expect(started.output().replaceAll("\r", "")).not.toMatch(/ELIFECYCLE|Error/)
  })
})

describe("the node that runs the server", () => {
  test("ends at SIGTERM, as under systemd and in a container", async () => {
    const started = await startBy(process.execPath, ["--conditions=@edp/source", "packages/server/src/main.ts"])
    process.kill(started.pid, "SIGTERM")
    await started.gone()
  })
})
