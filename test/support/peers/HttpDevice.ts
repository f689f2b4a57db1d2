import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo } from "node:net"
import { isDeepStrictEqual } from "node:util"
import type { HttpTemplate } from "@edp/adapter-templates/HttpTemplate"

export const USERNAME = "ada"
export const PASSWORD = "canary-password-4711"

export interface HttpDevice {
  readonly port: number
  /** Method, path with query, and body of each request, without those of a login. */
  readonly lines: Array<string>
  /** The responses as they are now, by the names of the template's requests. */
  readonly responses: Record<string, any>
  /** From now on, no login is taken. */
  readonly refuse: () => void
  /** Each token and each nonce ends, as after a restart of the device. */
  readonly forgetLogins: () => void
  /** A response to the next request in place of its own. */
  readonly respondOnce: (status: number, headers?: Readonly<Record<string, string>>, body?: string) => void
  /** After so many more requests of commands the device takes none. */
  readonly takeWrites: (count: number) => void
  readonly close: () => Promise<void>
}

const bodyText = async (request: IncomingMessage) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** Replaces the value at a path of names and indexes. */
const assign = (target: any, path: string, value: unknown) => {
  const steps = [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([step, index]) => index ?? step)
  const parent = steps.slice(0, -1).reduce((node, step) => node[step], target)
  parent[steps.at(-1)!] = value
}

interface Tls {
  readonly key: string
  readonly cert: string
}

/** Responses to requests that the template does not send and another client of the device does. */
export type OtherRequests = (url: URL, responses: Readonly<Record<string, any>>) => unknown

/**
 * A device in the shape of a template's fixture: its responses, its login, and commands whose values it shows where the template says that
 * it does. What it takes is what the fixture says that a command sends.
 */
export const startHttpDevice = async (
  template: HttpTemplate,
  tls?: Tls,
  others: OtherRequests = () => undefined
): Promise<HttpDevice> => {
  const { authentication = { kind: "none" }, fixture, requests } = template
  const responses = structuredClone(fixture.responses) as Record<string, any>
  const lines: Array<string> = []
  const username = authentication.username ?? USERNAME
  let isRefused = false
  let replies: Array<{ status: number; headers: Readonly<Record<string, string>>; body: string }> = []
  let generation = 1
  let writesLeft = Number.POSITIVE_INFINITY
  const token = () => `token-${generation}`
  const nonce = () => `nonce-${generation}`

  const entered = (text: string) =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      name === "serialNumber" ? fixture.serialNumber! : (fixture.inputs?.[name] ?? `{${name}}`)
    )

  const knows = ({ headers, method, url }: IncomingMessage): boolean => {
    if (authentication.kind === "none") return true
    if (isRefused) return false
    const sent = headers.authorization ?? ""
    switch (authentication.kind) {
      case "basic":
        return sent === `Basic ${Buffer.from(`${username}:${PASSWORD}`).toString("base64")}`
      case "bearer":
        return sent === `Bearer ${PASSWORD}`
      case "header":
        return headers[authentication.header!.toLowerCase()] === `${authentication.prefix ?? ""}${PASSWORD}`
      case "login":
        return authentication.cookie === undefined
          ? headers[(authentication.header ?? "authorization").toLowerCase()] ===
              `${authentication.prefix ?? ""}${token()}`
          : headers.cookie === `${authentication.cookie}=${token()}`
      case "digest": {
        const hash = (text: string) => createHash("sha256").update(text).digest("hex")
        const values = Object.fromEntries(
          Array.from(sent.matchAll(/(\w+)=(?:"([^"]*)"|([^\s,]+))/g), ([, name, quoted, plain]) => [
            name,
            quoted ?? plain
          ])
        )
        const secret = hash(`${username}:device:${PASSWORD}`)
        const call = hash(`${method}:${url}`)
        const { cnonce, nc, nonce: used, response, uri } = values
        return used === nonce() && uri === url && response === hash(`${secret}:${used}:${nc}:${cnonce}:auth:${call}`)
      }
    }
  }

  /** The name of the request that a call is; undefined for another one. */
  const readName = (method: string, url: URL, body: string) =>
    Object.entries(requests).find(([, request]) => {
      const query = Object.entries(request.query ?? {}).map(([name, value]) => [name, entered(String(value))])
      const { form, json } = request
      return (
        method === (request.method ?? "GET") &&
        url.pathname === entered(request.path) &&
        isDeepStrictEqual([...url.searchParams], query) &&
        (json === undefined || isDeepStrictEqual(JSON.parse(body), JSON.parse(entered(JSON.stringify(json))))) &&
        (form === undefined || body === entered(new URLSearchParams(Object.entries(form) as never).toString()))
      )
    })?.[0]

  /** Takes a call if it is one of a command's requests, and shows its values. */
  const take = (method: string, url: URL, body: string) => {
    for (const step of template.devices.flatMap(({ commands }) => Object.values(commands ?? {}).flat())) {
      const { path, segments = {} } = step
      if (method !== (step.method ?? "GET")) continue
      const pattern = entered(path).replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        Object.hasOwn(segments, name) ? "([^/]+)" : `{${name}}`
      )
      if (!new RegExp(`^${pattern}$`).test(url.pathname)) continue
      const sent = body === "" ? {} : (JSON.parse(body) as Record<string, any>)
      const values = [
        ...Object.entries(step.query ?? {}).map(([name, value]) => [value, url.searchParams.get(name)] as const),
        ...(step.json ?? []).map(
          (value) => [value, value.at.split(".").reduce((node, key) => node?.[key], sent)] as const
        )
      ]
      if (values.some(([, value]) => value === null || value === undefined)) continue
      for (const [{ confirm }, value] of values) {
        if (confirm === undefined) continue
        const shown =
          typeof value === "string" && /^(?:true|false|\d+)$/.test(value) && body === "" ? JSON.parse(value) : value
        assign(responses[confirm.request ?? Object.keys(requests)[0]!], confirm.path, shown)
      }
      return true
    }
    return false
  }

  const listener: RequestListener = (request, response) => {
    void (async () => {
      const body = await bodyText(request)
      const send = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}) =>
        response
          .writeHead(status, { "content-type": "application/json", ...headers })
          .end(typeof value === "string" ? value : JSON.stringify(value))
      const [reply, ...later] = replies
      replies = later
      if (reply !== undefined) return send(reply.status, reply.body, reply.headers)
      const url = new URL(request.url!, "http://device")
      const { method = "GET" } = request
      const { request: login } = authentication
      if (login !== undefined && url.pathname === login.path) {
        const wanted = (text: string) => text.replaceAll("{username}", username).replaceAll("{password}", PASSWORD)
        const expected =
          login.json === undefined
            ? new URLSearchParams(
                Object.entries(login.form ?? {}).map(([name, value]): [string, string] => [name, wanted(String(value))])
              ).toString()
            : wanted(JSON.stringify(login.json))
        if (isRefused || body !== expected) return send(401, { error: `no login with ${body}` })
        if (authentication.cookie !== undefined) {
          return send(200, {}, { "set-cookie": `${authentication.cookie}=${token()}; Path=/; HttpOnly` })
        }
        const value = {}
        assign(value, authentication.token!, token())
        return send(200, value)
      }
      if (!knows(request)) {
        const challenge = `Digest qop="auth", realm="device", nonce="${nonce()}", algorithm=SHA-256`
        return send(401, "no", authentication.kind === "digest" ? { "www-authenticate": challenge } : {})
      }
      lines.push([method, request.url, body].filter((part) => part !== "").join(" "))
      const name = readName(method, url, body)
      if (name !== undefined) return responses[name] === undefined ? send(404, "none") : send(200, responses[name])
      const other = others(url, responses)
      if (other !== undefined) return send(200, other)
      if (writesLeft-- <= 0) return send(503, "off")
      return take(method, url, body) ? send(200, {}) : send(404, "no such path")
    })()
  }
  const server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    lines,
    responses,
    refuse: () => void (isRefused = true),
    forgetLogins: () => void (generation += 1),
    respondOnce: (status, headers = {}, body = "no") => void replies.push({ status, headers, body }),
    takeWrites: (count) => void (writesLeft = count),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
