import { chmod, cp, mkdir, symlink, writeFile } from "node:fs/promises"
import { request } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { findProgram } from "../failover/findProgram.ts"
import { freePort } from "../freePort.ts"
import { guardedFolder } from "../guardedFolder.ts"
import { launch, runProgram } from "../launch.ts"
import type { Credentials, SpawnedServer } from "../spawnServer.ts"
import type { Reply } from "../callAt.ts"

const deployed = fileURLToPath(new URL("../../../deploy/cells/", import.meta.url))

export interface HostOptions {
  readonly key?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request to an address under another host name. */
export const callHost = (
  port: number,
  host: string,
  method: string,
  path: string,
  { body, headers = {}, key }: HostOptions = {}
): Promise<Pick<Reply, "status" | "body" | "text">> =>
  new Promise((resolve, reject) => {
    const sent = body === undefined ? "" : JSON.stringify(body)
    const outgoing = request(
      {
        port,
        host: "127.0.0.1",
        method,
        path,
        headers: {
          host,
          ...(key !== undefined && { "service-api-key": key }),
          ...(body !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(sent) }),
          ...headers
        }
      },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("error", reject)
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8")
          const isJson = response.headers["content-type"]?.startsWith("application/json") === true
          resolve({ status: response.statusCode!, text, body: isJson ? JSON.parse(text) : undefined })
        })
      }
    )
    outgoing.on("error", reject)
    outgoing.end(sent)
  })

/** HAProxy with the files of deploy/cells in front of two cells of one or two instances each. */
export const startCells = async (
  cells: Readonly<
    Record<"cell-a" | "cell-b", { readonly servers: ReadonlyArray<SpawnedServer>; readonly profile: Credentials }>
  >,
  edpProgram: string
) => {
  const folder = await guardedFolder("edp-cells", { parent: "/tmp" })
  const { path } = folder
  await cp(deployed, path, { recursive: true })
  await mkdir(join(path, "profiles"))
  for (const [name, { profile }] of Object.entries(cells)) {
    const file = join(path, "profiles", `${name}.json`)
    await writeFile(file, JSON.stringify(profile), { mode: 0o600 })
  }
  await mkdir(join(path, "bin"))
  await symlink(edpProgram, join(path, "bin/edp"))
  await chmod(edpProgram, 0o755)
  const port = await freePort()
  const at = (cell: keyof typeof cells, n: number) =>
    `127.0.0.1:${(cells[cell].servers[n] ?? cells[cell].servers[0]!).port}`
  const env = {
    PATH: `${join(path, "bin")}:${join(process.execPath, "..")}:${process.env["PATH"]}`,
    HOME: path,
    CELLS_LISTEN: `127.0.0.1:${port}`,
    CELLS_MAP: join(path, "cells.map"),
    CELLS_SOCKET: join(path, "admin.sock"),
    CELLS_PROFILES: join(path, "profiles"),
    CELL_A_1: at("cell-a", 0),
    CELL_A_2: at("cell-a", 1),
    CELL_B_1: at("cell-b", 0),
    CELL_B_2: at("cell-b", 1)
  }
  const haproxy = await launch(findProgram("haproxy")!, ["-db", "-f", join(path, "haproxy.cfg")], { cwd: path, env })
  folder.protect(haproxy.pid)
  return {
    port,
    path,
    /** Runs a script of deploy/cells, and returns what it prints. */
    run: (script: "move.sh" | "route.sh", ...args: ReadonlyArray<string>) =>
      runProgram(join(path, script), args, { cwd: path, env }),
    stop: async () => {
      haproxy.kill("SIGKILL")
      await haproxy.exited
      await folder.remove()
    }
  }
}
