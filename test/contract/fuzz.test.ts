import { describe, expect, test } from "vitest"
import { openApiOracle } from "../support/OpenApiOracle.ts"
import { useTestApp } from "../support/TestApp.ts"
import { listMethods, ownEndpoints, formatRoute } from "./endpoints.ts"
import { FuzzWorld } from "./fuzz/FuzzWorld.ts"
import { generate, type Generated } from "./fuzz/generate.ts"
import { Random } from "../support/Random.ts"
import { type RawAnswer, rawRequest } from "./fuzz/rawRequest.ts"
import { describeWire } from "./fuzz/Wire.ts"
import { servedDocument } from "./servedDocument.ts"

const requests = 6000
const concurrency = 8
/** A failure prints its seed; the same seed makes the same choices, though responses may come in another order. */
const seed = Number(process.env["EDP_FUZZ_SEED"] ?? 20_260_301)

const app = useTestApp({ env: { EDP_RATE_LIMIT_AUTH_FAILURES: "1000000" } })

const parsed = (text: string): any => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The response to any path outside the contract, for any caller and method. */
const isUnknownRoute = ({ status, text }: RawAnswer) =>
  status === 404 && (text === "" || parsed(text)?.message === "There is no such route")

const isDecodable = (path: string) => {
  try {
    return decodeURIComponent(path) !== ""
  } catch {
    return false
  }
}

describe("6,000 generated requests", () => {
  test(`get documented responses without a 500 (seed ${seed})`, { timeout: 180_000 }, async ({ annotate }) => {
    const world = await FuzzWorld.seed(app)
    const oracle = openApiOracle(await servedDocument(app.url))
    const failures: Array<string> = []
    const statuses = new Map<number, number>()
    const succeeded = new Set<string>()

    const check = ({ wire }: Generated, answer: RawAnswer) => {
      const path = wire.path.split(/[?;#]/)[0]!.replace(/(.)\/$/, "$1")
      const documented = path.replace(
        /^\/v1\/devices(?=$|\/telemetry$|\/[^/]+\/telemetry$|\/[^/]+\/commands\/[^/]+\/result$)/,
        "/devices"
      )
      // A preflight request is not an operation of the document.
      if (wire.method === "OPTIONS" && answer.status === 204) return expect(answer.text).toBe("")
      // The operators' endpoints are in no document, but their errors have the same shape.
      if (listMethods(path).has(wire.method) && path.startsWith("/dashboard/")) {
        if (path.endsWith(".csv") && answer.status === 200) return
        return answer.text === "" || expect(parsed(answer.text)).toBeTypeOf("object")
      }
      // Every other address under /dashboard shows the page, which says what is not there.
      const isPage = path.startsWith("/dashboard/") && !path.startsWith("/dashboard/api/")
      if (isPage && answer.status === 200) return expect(answer.headers["content-type"]).toMatch(/^text\/html/)
      const under = [path, documented].find((one) => oracle.findOperation(wire.method, one) !== undefined)
      if (answer.status >= 500) throw new Error("the service failed")
      // One reading of a bulk push may be refused for itself, but never for a fault of the service.
      if (answer.text.includes('"UNKNOWN_ERROR"')) throw new Error("the service failed on a part")
      if (answer.headers["x-request-id"] === undefined) throw new Error("the answer has no request id")
      if (under !== undefined && isDecodable(path)) {
        return oracle.check(wire.method, under, answer.status, answer.headers, answer.text)
      }
      if (!isUnknownRoute(answer)) throw new Error("the operation is not documented")
    }

    const one = async (index: number) => {
      const generated = generate(world, new Random(seed + index * 7919))
      const answer = await rawRequest(app.url, generated.wire).catch((error: Error) => String(error))
      try {
        if (typeof answer === "string") throw new Error(answer)
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        check(generated, answer)
        const { documented, method } = generated.endpoint
        if (answer.status < 300) succeeded.add(formatRoute({ method, path: documented }))
        world.learn(documented, answer.status, parsed(answer.text), answer.headers["x-next-cursor"])
      } catch (error) {
        const got = typeof answer === "string" ? answer : `${answer.status} ${answer.text.slice(0, 300)}`
        failures.push(`#${index} ${describeWire(generated.wire)}\n  ${got}\n  ${String(error).slice(0, 600)}`)
      }
    }

    let next = 0
    const worker = async () => {
      while (next < requests && failures.length < 20) await one(next++)
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
    expect(failures.join("\n\n")).toBe("")

    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`)
    await annotate(`seed ${seed}: ${counts.join(", ")}`)
    const good = [...statuses].filter(([status]) => status < 300).reduce((sum, [, count]) => sum + count, 0)
    expect(good / requests, counts.join(", ")).toBeGreaterThan(0.3)
    // A fuzz of refusals alone proves little: every operation has to have done its work at least once.
    const missed = ownEndpoints.map(formatRoute).filter((route) => !succeeded.has(route))
    expect(missed).toEqual([])
  })
})
