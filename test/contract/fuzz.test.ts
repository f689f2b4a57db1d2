import { describe, expect, test } from "vitest"
import { rounds, testSeed } from "../support/rounds.ts"
import { openApiOracle } from "../support/OpenApiOracle.ts"
import { useTestApp } from "../support/TestApp.ts"
import { listMethods, ownEndpoints, formatRoute } from "./endpoints.ts"
import { FuzzWorld } from "./fuzz/FuzzWorld.ts"
import { generate, type Generated } from "./fuzz/generate.ts"
import { Random } from "../support/Random.ts"
import { type RawResponse, rawRequest } from "./fuzz/rawRequest.ts"
import { describeWire } from "./fuzz/Wire.ts"
import { servedDocument } from "./servedDocument.ts"

const requests = rounds(6000)
/** `pnpm test:deep` draws a seed. Another run has one with which every operation succeeds: some choices delete what an operation needs. */
const isDrawn = process.env["EDP_TEST_ROUNDS"] !== undefined || process.env["EDP_TEST_SEED"] !== undefined
const seed = isDrawn ? testSeed : 20_260_301
const concurrency = 8
/** Some minutes of work, where other suites take the processors. */
const PATIENCE = 600_000

const app = useTestApp({ env: { EDP_RATE_LIMIT_AUTH_FAILURES: "1000000" } })

const parsed = (text: string): any => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The response to any path outside the contract, for any caller and method. */
const isUnknownRoute = ({ status, text }: RawResponse) =>
  status === 404 && (text === "" || parsed(text)?.message === "There is no such route")

describe("generated requests", () => {
  test(`get documented responses without a 500 (seed ${seed})`, { timeout: PATIENCE }, async ({ annotate }) => {
    const world = await FuzzWorld.seed(app)
    const oracle = openApiOracle(await servedDocument(app.url))
    const failures: Array<string> = []
    const statuses = new Map<number, number>()
    const succeeded = new Set<string>()

    const check = ({ wire }: Generated, response: RawResponse) => {
      const path = wire.path.split(/[?;#]/)[0]!.replace(/(.)\/$/, "$1")
      const documented = path.replace(
        /^\/v1\/devices(?=$|\/telemetry$|\/[^/]+\/telemetry$|\/[^/]+\/commands\/[^/]+\/result$)/,
        "/devices"
      )
      // A preflight request is not an operation of the document.
      if (wire.method === "OPTIONS" && response.status === 204) return expect(response.text).toBe("")
      // The operators' endpoints are in no document, but their errors have the same shape.
      if (listMethods(path).has(wire.method) && path.startsWith("/dashboard/")) {
        if (path.endsWith(".csv") && response.status === 200) return
        return response.text === "" || expect(parsed(response.text)).toBeTypeOf("object")
      }
      // Every other address under /dashboard shows the page, which says what is not there.
      const isPage = path.startsWith("/dashboard/") && !path.startsWith("/dashboard/api/")
      if (isPage && response.status === 200) return expect(response.headers["content-type"]).toMatch(/^text\/html/)
      const under = [path, documented].find((one) => oracle.findOperation(wire.method, one) !== undefined)
      if (response.status >= 500) throw new Error("the service failed")
      // One reading of a bulk push may be refused for itself, but never for a fault of the service.
      if (response.text.includes('"UNKNOWN_ERROR"')) throw new Error("the service failed on a part")
      if (response.headers["x-request-id"] === undefined) throw new Error("the response has no request id")
      if (under !== undefined) return oracle.check(wire.method, under, response.status, response.headers, response.text)
      if (!isUnknownRoute(response)) throw new Error("the operation is not documented")
    }

    const one = async (index: number, routes?: ReadonlySet<string>) => {
      const generated = generate(world, new Random(seed + index * 7919), routes)
      const response = await rawRequest(app.url, generated.wire).catch((error: Error) => String(error))
      try {
        if (typeof response === "string") throw new Error(response)
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
        check(generated, response)
        const { documented, method } = generated.endpoint
        if (response.status < 300) succeeded.add(formatRoute({ method, path: documented }))
        world.learn(documented, response.status, parsed(response.text), response.headers["x-next-cursor"])
      } catch (error) {
        const got = typeof response === "string" ? response : `${response.status} ${response.text.slice(0, 300)}`
        failures.push(`#${index} ${describeWire(generated.wire)}\n  ${got}\n  ${String(error).slice(0, 600)}`)
      }
    }

    let next = 0
    const worker = async () => {
      while (next < requests && failures.length < 20) await one(next++)
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
    // Chance may have left an operation without success: it gets requests until it has done its work once.
    const missed = () => ownEndpoints.map(formatRoute).filter((route) => !succeeded.has(route))
    while (missed().length > 0 && next < 2 * requests && failures.length === 0) await one(next++, new Set(missed()))
    expect(failures.join("\n\n")).toBe("")

    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`)
    await annotate(`seed ${seed}: ${counts.join(", ")}`)
    if (isDrawn) return
    const good = [...statuses].filter(([status]) => status < 300).reduce((sum, [, count]) => sum + count, 0)
    expect(good / next, counts.join(", ")).toBeGreaterThan(0.3)
    // A fuzz of refusals alone proves little: every operation has to have done its work at least once.
    expect(missed()).toEqual([])
  })
})
