import { hash, randomUUID } from "node:crypto"
import fastify, { LogController, type FastifyInstance, type FastifyRequest } from "fastify"
import type { Pool } from "pg"

const liveKey = {
  name: "key",
  text: `SELECT id, type, workspace_id AS "workspaceId", manufacturer_scope AS "manufacturerScope",
      rate_limits AS "rateLimits" FROM api_keys
    WHERE key_hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`
}

export interface Key {
  readonly id: string
  readonly type: string
  readonly workspaceId: string
  readonly manufacturerScope: ReadonlyArray<string> | null
  readonly rateLimits: Readonly<Record<string, number>> | null
}

/** The key of a request by its hash; a failure of status 401 if it is not valid. */
export const findKey = async (pool: Pool, { headers }: FastifyRequest): Promise<Key> => {
  const text = headers["service-api-key"]
  const values = [hash("sha256", typeof text === "string" ? text : "", "buffer")]
  const { rows } = await pool.query<Key>({ ...liveKey, values })
  if (rows[0] === undefined) throw Object.assign(new Error("No such key"), { statusCode: 401 })
  return rows[0]
}

const LIMIT = 1_000_000
const WINDOW_MS = 60_000

/** Fixed windows of a minute. */
const makeLimits = () => {
  let window = -1
  let counts = new Map<string, number>()
  return (name: string, limit: number) => {
    const current = Math.floor(Date.now() / WINDOW_MS)
    if (current !== window) {
      window = current
      counts = new Map()
    }
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return { isAllowed: count <= limit, remaining: Math.max(0, limit - count), resetAt: (current + 1) * 60 }
  }
}

const FLUSH_EVERY_MS = 200

/** Lines are written together, as a careful server writes them. */
const bufferedOutput = () => {
  let lines: Array<string> = []
  const flush = () => {
    if (lines.length > 0) process.stdout.write(lines.join(""))
    lines = []
  }
  setInterval(flush, FLUSH_EVERY_MS).unref()
  return { write: (line: string) => void lines.push(line) }
}

const saneId = /^[\w.:/+=-]{1,128}$/
const etag = (body: string) => `W/"${hash("sha256", body, "base64url").slice(0, 22)}"`

const keys = new WeakMap<FastifyRequest, Key>()

/** The key that `sameWork` found; the bare peer looks it up itself. */
export const authenticatedKey = (request: FastifyRequest): Key | undefined => keys.get(request)

/**
 * Does what the platform does for each request besides its statements: it looks the key up by its hash, counts the request against the
 * key's limit and sends the headers of it, gives it an id, writes a line of JSON, and sends an ETag with a single resource. Errors
 * have a code.
 */
const sameWork = (pool: Pool, types: ReadonlyArray<string>, rateClass: "read" | "write"): FastifyInstance => {
  const app = fastify({
    logger: { stream: bufferedOutput(), base: null },
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "requestId" }),
    genReqId: ({ headers }) => {
      const given = headers["x-request-id"]
      return typeof given === "string" && saneId.test(given) ? given : randomUUID()
    }
  })
  const take = makeLimits()
  app.addHook("onRequest", async (request, reply) => {
    reply.headers({ "x-request-id": request.id, "cache-control": "no-store", "x-content-type-options": "nosniff" })
    if (request.url === "/health/ready") return
    const key = await findKey(pool, request)
    if (!types.includes(key.type)) throw Object.assign(new Error("Another type of key"), { statusCode: 401 })
    keys.set(request, key)
    const limit = key.rateLimits?.[rateClass] ?? LIMIT
    const { isAllowed, remaining, resetAt } = take(`${rateClass}:${key.id}`, limit)
    reply.headers({
      "x-ratelimit-limit": `${limit}`,
      "x-ratelimit-remaining": `${remaining}`,
      "x-ratelimit-reset": `${resetAt}`
    })
    if (!isAllowed) throw Object.assign(new Error("Too many requests"), { statusCode: 429 })
  })
  app.addHook("onSend", async (request, reply, payload) => {
    const isSingle = request.method === "GET" && request.routeOptions.url?.endsWith("/:id") === true
    if (!isSingle || reply.statusCode !== 200 || typeof payload !== "string") return payload
    const tag = etag(payload)
    reply.headers({ etag: tag, "cache-control": "private, no-cache" })
    if (request.headers["if-none-match"] !== tag) return payload
    reply.code(304)
    return ""
  })
  app.addHook("onResponse", async (request, reply) => {
    const key = keys.get(request)
    request.log.info(
      {
        method: request.method,
        path: request.url.split("?", 1)[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
        address: request.ip,
        keyId: key?.id,
        workspaceId: key?.workspaceId
      },
      "request"
    )
  })
  app.setErrorHandler((error, _, reply) => {
    const status = (error as { readonly statusCode?: number }).statusCode ?? 500
    return reply.code(status).send({ code: `${status}`, message: (error as Error).message })
  })
  return app
}

/** The server of a peer: bare, or with the platform's work for each request. */
export const peerApp = (pool: Pool, types: ReadonlyArray<string>, rateClass: "read" | "write") =>
  process.env["RIVAL_WORK"] === "same" ? sameWork(pool, types, rateClass) : fastify({ logger: false })
