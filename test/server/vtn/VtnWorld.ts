import type { TestApp } from "../../support/TestApp.ts"
import { checkResponse } from "./openAdrDocument.ts"
import { checkWithPrism } from "./prismCheck.ts"

export const BASE = "/openadr3/3.1.0"

export interface VtnReply {
  readonly status: number
  readonly headers: Headers
  readonly body: any
}

export interface VtnClient {
  readonly clientId: string
  readonly secret: string
  readonly token: string
  readonly call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<VtnReply>
  /** The same, of which the success is expected; returns the body. */
  readonly ok: (method: string, path: string, body?: unknown) => Promise<any>
}

interface KeyOwner {
  readonly organizationId: string
  readonly workspaceId: string
}

/** Exchanges credentials for a token, as a client does. */
export const requestToken = (app: TestApp, form: Record<string, string>, headers: Record<string, string> = {}) =>
  app.call("POST", `${BASE}/auth/token`, {
    body: new URLSearchParams(form).toString(),
    headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers }
  })

/** Each response is checked against the official document, by a validator of this repository and by Prism, which judges requests, too. */
export const clientWithKey = async (
  app: TestApp,
  { id, key }: { readonly id: string; readonly key: string }
): Promise<VtnClient> => {
  const form = { grant_type: "client_credentials", client_id: id, client_secret: key }
  const issued = await requestToken(app, form)
  if (issued.status !== 200) throw new Error(issued.text)
  const token: string = issued.body.access_token
  const call: VtnClient["call"] = async (method, path, body, headers = {}) => {
    const reply = await app.call(method, `${BASE}${path}`, {
      ...(body !== undefined && { body }),
      headers: { Authorization: `Bearer ${token}`, ...headers }
    })
    checkResponse(method, path, reply.status, reply.body)
    await checkWithPrism({
      method,
      path,
      headers: { authorization: `Bearer ${token}`, ...headers },
      request: body,
      status: reply.status,
      response: reply.body
    })
    return reply
  }
  const ok: VtnClient["ok"] = async (method, path, body) => {
    const { body: found, status } = await call(method, path, body)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(found)}`)
    return found
  }
  return { clientId: id, secret: key, token, call, ok }
}

export const openAdrClient = async (app: TestApp, place: KeyOwner, type: "OPENADR_BL" | "OPENADR_VEN") =>
  clientWithKey(app, await app.key(place, type))

/** A workspace with a client of business logic, and functions for what it grants to VENs. */
export const makeVtn = async (app: TestApp) => {
  const place = await app.workspace()
  const bl = await openAdrClient(app, place, "OPENADR_BL")
  const newVen = () => openAdrClient(app, place, "OPENADR_VEN")

  let count = 0
  const name = (noun: string) => `${noun}-${++count}`
  const makeProgram = (fields: object = {}) => bl.ok("POST", "/programs", { programName: name("program"), ...fields })
  const makeEvent = async (fields: object = {}) => {
    const programID = (fields as { programID?: string }).programID ?? (await makeProgram()).id
    return bl.ok("POST", "/events", { programID, ...fields })
  }
  /** A VEN with an object of its own that business logic has made, with targets. */
  const enrolled = async (targets: ReadonlyArray<string> = []) => {
    const ven = await newVen()
    const object = await bl.ok("POST", "/vens", {
      objectType: "BL_VEN_REQUEST",
      clientID: ven.clientId,
      venName: name("ven"),
      targets
    })
    return { ...ven, ven: object }
  }
  return { ...place, bl, newVen, enrolled, makeProgram, makeEvent, name }
}

export const interval = (id = 0, value = 0.17) => ({ id, payloads: [{ type: "PRICE", values: [value] }] })

export const names = (objects: ReadonlyArray<any>, field: string) => objects.map((object) => object[field])
