import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout } from "node:timers/promises"

export interface CommandCall {
  readonly device: string
  /** A command's id, or `restore`. */
  readonly token: string
  /** A setting that is written, `send` or `elsewhere`. */
  readonly what: string
  /** Id of the process that calls. */
  readonly worker: number
  /** Milliseconds since 1970. */
  readonly at: number
}

/** A manufacturer's cloud that takes commands and writes settings, and records calls and whether two for one device overlapped. */
export const startCommandCloud = async (delayMs: number) => {
  const calls: Array<CommandCall> = []
  const overlaps: Array<CommandCall> = []
  const busy = new Map<string, number>()
  const settings = new Map<string, Record<string, string>>()
  let intercept: ((call: CommandCall) => Promise<void>) | undefined

  const server = createServer(async (request, response) => {
    const [, device, what] = request.url!.split("/") as [string, string, string]
    if (request.method === "GET") return response.end(JSON.stringify(settings.get(device)))
    const { "x-token": token, "x-value": value, "x-worker": worker } = request.headers as Record<string, string>
    const call = { device, what, token: token!, worker: Number(worker), at: Date.now() }
    calls.push(call)
    if (what === "elsewhere") return response.end("{}")
    busy.set(device, (busy.get(device) ?? 0) + 1)
    if (busy.get(device)! > 1) overlaps.push(call)
    let isOver = false
    const end = () => {
      if (!isOver) busy.set(device, busy.get(device)! - 1)
      isOver = true
    }
    response.on("close", end)
    await setTimeout(delayMs)
    if (value !== undefined) settings.set(device, { ...settings.get(device), [what]: value })
    await intercept?.(call)
    end()
    response.end("{}")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    overlaps,
    settings,
    /** Runs after a call has had its effect and before it is answered. */
    intercept: (how: typeof intercept) => {
      intercept = how
    },
    stop: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
