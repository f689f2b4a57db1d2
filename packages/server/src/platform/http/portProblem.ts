import { createServer } from "node:net"

/** The setting of a port. */
export type PortSetting = "PORT" | "EDP_METRICS_PORT"

const noAddress = () => "is not an address of this machine: set EDP_HOST to one"

const reasons: Record<string, (setting: PortSetting) => string> = {
  EADDRINUSE: (setting) => `is in use: set ${setting} to another port`,
  EACCES: (setting) => `may not be used by this account: set ${setting} to another port`,
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress
}

/** Turns the error of listening into one line that names the setting to change. */
export const portProblem = (setting: PortSetting, host: string, port: number, cause: unknown): string => {
  const code = (cause as { readonly code?: string } | undefined)?.code ?? "unknown reason"
  const reason = reasons[code]?.(setting) ?? `can't be listened on (${code}): ${setting} and EDP_HOST name it`
  return `${host}:${port} ${reason}`
}

/** Listens on a port for a moment. Returns why that is not possible. */
export const findPortProblem = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once("error", (error) => resolve(portProblem("PORT", host, port, error)))
    probe.listen(port, host, () => probe.close(() => resolve(undefined)))
  })
