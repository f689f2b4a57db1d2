import { randomUUID } from "node:crypto"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface CloudCall {
  readonly account: string
  readonly path: string
  /** Id of the process that calls. */
  readonly worker: number
  readonly token: string
  readonly at: number
}

interface CloudAccount {
  accessToken: string
  refreshToken: string
  reads: number
  refreshes: number
}

/** Decides about a call before it is answered. The cloud waits for it. */
type Interception = (call: CloudCall) => Promise<"response" | "drop"> | undefined

/**
 * A manufacturer's cloud, which rotates refresh tokens: each is valid once. It records calls and whether two of one account
 * ever overlapped.
 */
export const startCloud = async (options: { readonly expiresIn: number; readonly delayMs: number }) => {
  const accounts = new Map<string, CloudAccount>()
  const calls: Array<CloudCall> = []
  const busy = new Map<string, number>()
  const overlaps: Array<string> = []
  let intercept: { readonly before?: Interception; readonly after?: Interception } = {}

  const rotate = (account: CloudAccount) => {
    account.accessToken = randomUUID()
    account.refreshToken = randomUUID()
    account.refreshes++
    const { accessToken, refreshToken } = account
    return { accessToken, refreshToken, expiresIn: options.expiresIn }
  }
  const handle = ({ account: id, path, token }: CloudCall): readonly [number, unknown] => {
    const account = accounts.get(id)!
    if (path === "/token")
      return token === account.refreshToken ? [200, rotate(account)] : [400, { error: "invalid_grant" }]
    if (token !== account.accessToken) return [401, {}]
    account.reads++
    return [200, { power: account.reads }]
  }
  const send = (response: ServerResponse, [status, body]: readonly [number, unknown]) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

  const server = createServer(async ({ headers, url }, response) => {
    const call: CloudCall = {
      account: headers["x-account"] as string,
      path: url!,
      worker: Number(headers["x-worker"]),
      token: headers.authorization!.slice("Bearer ".length),
      at: performance.now()
    }
    calls.push(call)
    busy.set(call.account, (busy.get(call.account) ?? 0) + 1)
    if (busy.get(call.account)! > 1) overlaps.push(`${call.account} ${call.path}`)
    await new Promise((resolve) => setTimeout(resolve, options.delayMs))
    if ((await intercept.before?.(call)) === "drop") return response.destroy()
    const reply = handle(call)
    if ((await intercept.after?.(call)) === "drop") return response.destroy()
    busy.set(call.account, busy.get(call.account)! - 1)
    send(response, reply)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    overlaps,
    accounts,
    add: (id: string) => {
      const account = { accessToken: randomUUID(), refreshToken: randomUUID(), reads: 0, refreshes: 0 }
      accounts.set(id, account)
      return account
    },
    /** Intercepts calls before the cloud has acted on them, or after. */
    intercept: (how: typeof intercept) => {
      intercept = how
    },
    forget: (id: string) => busy.set(id, 0),
    stop: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
