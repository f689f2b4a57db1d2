import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { type OtlpSink, startOtlpSink } from "../support/peers/otlpSink.ts"
import { spawnServer } from "../support/spawnServer.ts"

const makeTraceId = (digit: string) => digit.repeat(32)
const traceparent = (digit: string, flags: "00" | "01") => `00-${makeTraceId(digit)}-${digit.repeat(16)}-${flags}`

const linkToken = "a-token-of-a-session-0123456789"

/** The spans of a server, which was sent requests with and without a decision of the caller. */
const spansAt = async (sink: OtlpSink, ratio: string) => {
  const server = await spawnServer({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url, OTEL_TRACES_SAMPLER_ARG: ratio }
  })
  const key = server.credentials.serverKey
  const list = (headers: Readonly<Record<string, string>>) =>
    callAt(server.baseUrl, "GET", "/v1/sites", { key, headers })
  await list({ "x-request-id": `undecided-${ratio}` })
  await list({ "x-request-id": `wanted-${ratio}`, traceparent: traceparent("a", "01") })
  await list({ "x-request-id": `unwanted-${ratio}`, traceparent: traceparent("b", "00") })
  for (const path of [
    `/connect/${linkToken}`,
    `/enroll/evening-peak/${linkToken}`,
    `/inbound/shelly/${linkToken}`,
    `/grid-notifications/${linkToken}`
  ]) {
    await callAt(server.baseUrl, "GET", path, { headers: { traceparent: traceparent("c", "01") } })
  }
  expect(await server.stop()).toBe(0)
  return sink.spans()
}

describe.each([
  { ratio: "0", expected: ["wanted-0"] },
  { ratio: "1", expected: ["undecided-1", "wanted-1"] }
])("requests at a sampling ratio of $ratio", ({ ratio, expected }) => {
  let sink: OtlpSink
  let spans: Awaited<ReturnType<typeof spansAt>>
  beforeAll(async () => {
    sink = await startOtlpSink()
    spans = await spansAt(sink, ratio)
  })
  afterAll(() => sink.close())

  test("are traced when their traceparent is sampled, or when they have none and are in the sample", () => {
    const ids = new Set(spans.map(({ attributes }) => String(attributes["request.id"])))
    expect([...ids].filter((id) => id.endsWith(`-${ratio}`)).toSorted()).toEqual(expected)
  })

  test("that are traced have spans for their statements, in the trace of the caller", () => {
    const wanted = spans.filter(({ attributes }) => attributes["request.id"] === `wanted-${ratio}`)
    expect(new Set(wanted.map(({ traceId }) => traceId))).toEqual(new Set([makeTraceId("a")]))
    const statements = wanted.map(({ attributes }) => attributes["db.query.text"])
    expect(statements).toContainEqual(expect.stringContaining("FROM sites"))
  })

  test("that are not traced have no span at all", () => {
    expect(spans.filter(({ traceId }) => traceId === makeTraceId("b"))).toEqual([])
    if (ratio === "0") expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([makeTraceId("a")]))
  })

  test("with the token of a person's link are never traced", () => {
    expect(JSON.stringify(spans)).not.toContain(linkToken)
  })
})
