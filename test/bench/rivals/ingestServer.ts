import { hash, randomUUID } from "node:crypto"
import { Pool } from "pg"
import { createEvents, type IngestMethod, ingestMethods } from "./ingestStatements.ts"
import { authenticatedKey, peerApp } from "./sameWork.ts"

interface Push {
  readonly timestamp: string
  readonly state: Readonly<Record<string, unknown>>
}

const number = { type: "number", minimum: 0 }

const body = {
  type: "object",
  required: ["timestamp", "state"],
  properties: {
    timestamp: { type: "string", format: "date-time" },
    state: {
      type: "object",
      required: ["power"],
      additionalProperties: false,
      properties: {
        power: { type: "number", minimum: 0, maximum: 10_000_000 },
        generatedEnergy: number,
        lifetimeEnergyGenerated: number,
        gridStatus: { enum: ["exporting", "importing", "idle", "unknown"] },
        gridPower: { type: "integer" },
        gridEnergy: { type: "integer" },
        loadPower: number,
        loadEnergy: number
      }
    }
  }
}

const state = { type: "object", additionalProperties: true }

const reply = {
  type: "object",
  properties: { accepted: { type: "integer" }, duplicates: { type: "integer" }, latest: state }
}

const { DATABASE_URL, PORT, RIVAL_WAY, RIVAL_POOL } = process.env

const pool = new Pool({
  connectionString: DATABASE_URL,
  max: Number(RIVAL_POOL),
  pipeline: RIVAL_WAY === "pipelined"
} as ConstructorParameters<typeof Pool>[0])
const ingest = ingestMethods[RIVAL_WAY as IngestMethod](pool)

/**
 * A carefully written server of the usual kind: compiled schemas for what comes and what goes, prepared statements. It knows inverters
 * only. Bare, it has no log and no limits, and trusts the key's scope and the device's existence to the caller; with RIVAL_WORK=same
 * and the method `whole` it checks and stores what the platform does.
 */
const app = peerApp(pool, ["MANUFACTURER"], "write")
if (RIVAL_WAY === "whole") await createEvents(pool)

app.post<{ Params: { id: string }; Body: Push }>(
  "/devices/:id/telemetry",
  { schema: { body, response: { 200: reply } } },
  async (request, reply) => {
    const key = request.headers["service-api-key"]
    if (typeof key !== "string") return reply.code(401).send({ code: "UNAUTHENTICATED", message: "No key" })
    const { timestamp, state } = request.body
    const at = new Date(timestamp)
    const readingId = randomUUID()
    const stored = await ingest({
      keyHash: hash("sha256", key, "buffer"),
      key: authenticatedKey(request),
      deviceId: request.params.id,
      at,
      readingId,
      state: JSON.stringify(state)
    })
    if (stored === undefined) return reply.code(404).send({ code: "NOT_FOUND", message: "No such key or device" })
    return {
      accepted: stored ? 1 : 0,
      duplicates: stored ? 0 : 1,
      latest: { id: readingId, createdAt: at.toISOString(), ...state }
    }
  }
)

app.get("/health/ready", () => ({ status: "ok" }))

await app.listen({ port: Number(PORT), host: "127.0.0.1" })
