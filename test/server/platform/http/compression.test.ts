import { request } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { agreeOn } from "@edp/server/platform/http/compression"
import { beforeAll, describe, expect, test } from "vitest"
import { seedDevice, seedSite } from "../../../support/Seed.ts"
import { type TestWorkspace, useTestApp } from "../../../support/TestApp.ts"

const app = useTestApp()
let here: TestWorkspace
beforeAll(async () => {
  here = await app.workspace()
  for (let n = 0; n < 5; n++) {
    const { id: siteId } = await seedSite(app, here.keys.SERVER)
    await seedDevice(app, here.workspaceId, { siteId })
  }
})

/** `fetch` would undo the coding without a word. */
const raw = (path: string, acceptEncoding?: string, method = "GET") =>
  new Promise<{ readonly status: number; readonly headers: Record<string, any>; readonly bytes: Buffer }>(
    (resolve, reject) => {
      const headers = {
        "Service-Api-Key": here.keys.SERVER,
        ...(acceptEncoding !== undefined && { "Accept-Encoding": acceptEncoding })
      }
      const call = request(app.url + path, { method, headers }, (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () =>
          resolve({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(chunks) })
        )
      })
      call.on("error", reject)
      call.end()
    }
  )

const decode = { br: brotliDecompressSync, gzip: gunzipSync } as const

describe.each(["/v1/sites", "/v1/docs/reference.js", "/v1/docs/swagger.json"])("a large response: %s", (path) => {
  test.each(["br", "gzip"] as const)("is compressed with %s when requested, with identical content", async (coding) => {
    const plain = await raw(path)
    const coded = await raw(path, coding)
    expect([coded.status, coded.headers["content-encoding"]]).toEqual([200, coding])
    expect(coded.headers["content-length"]).toBe(String(coded.bytes.length))
    expect(coded.headers["content-type"]).toBe(plain.headers["content-type"])
    expect(coded.bytes.length).toBeLessThan(plain.bytes.length / 2)
    expect(decode[coding](coded.bytes).equals(plain.bytes)).toBe(true)
  })

  test("has Vary: Accept-Encoding with and without a coding", async () => {
    for (const accepted of [undefined, "identity", "gzip"]) {
      expect((await raw(path, accepted)).headers.vary).toBe("Accept-Encoding")
    }
  })

  test("is not compressed unless requested", async () => {
    for (const accepted of [undefined, "", "identity", "deflate", "br;q=0, gzip;q=0.000"]) {
      const { headers, status } = await raw(path, accepted)
      expect([status, headers["content-encoding"]], accepted).toEqual([200, undefined])
    }
  })
})

test.each(["br", "gzip"] as const)(
  "a streamed response is compressed with %s when requested, with identical content",
  async (coding) => {
    const path = "/v1/metrics/generation?groupBy=site&period=hour&from=2025-01-01T00:00:00Z&to=2025-06-01T00:00:00Z"
    const plain = await raw(path)
    const coded = await raw(path, coding)
    expect([plain.headers["transfer-encoding"], JSON.parse(plain.bytes.toString()).data.length]).toEqual([
      "chunked",
      5 * 151 * 24
    ])
    expect([coded.status, coded.headers["content-encoding"]]).toEqual([200, coding])
    expect([plain.headers.vary, coded.headers.vary]).toEqual(["Accept-Encoding, Accept", "Accept-Encoding, Accept"])
    expect(coded.bytes.length).toBeLessThan(plain.bytes.length / 2)
    expect(decode[coding](coded.bytes).equals(plain.bytes)).toBe(true)
  }
)

test("a response of at most 1 KiB is not compressed, unless the caller rejects that", async () => {
  const { bytes, headers } = await raw("/v1/sites/none", "br, gzip")
  expect(bytes.length).toBeLessThan(1024)
  expect([headers["content-encoding"], headers.vary]).toEqual([undefined, undefined])
  const refused = await raw("/v1/sites/none", "gzip, identity;q=0")
  expect(refused.headers["content-encoding"]).toBe("gzip")
  expect(gunzipSync(refused.bytes).equals(bytes)).toBe(true)
})

test("errors are compressed like other responses", async () => {
  const query = Array.from({ length: 40 }, (_, n) => `unknown${n}=1`).join("&")
  const { status, headers, bytes } = await raw(`/v1/sites?${query}`, "gzip")
  expect([status, headers["content-encoding"]]).toEqual([400, "gzip"])
  expect(JSON.parse(gunzipSync(bytes).toString()).code).toBe("VALIDATION_ERROR")
})

test("HEAD and 304 have no body to compress", async () => {
  const head = await raw("/v1/sites", "gzip", "HEAD")
  expect([head.status, head.bytes.length, head.headers["content-encoding"]]).toEqual([200, 0, undefined])
})

test("static files have an ETag per coding", async () => {
  const tags = await Promise.all(
    [undefined, "gzip", "br"].map(async (one) => (await raw("/v1/docs", one)).headers.etag)
  )
  expect(new Set(tags).size).toBe(3)
})

describe("Accept-Encoding", () => {
  test.each([
    ["gzip", "gzip", false],
    ["br, gzip", "br", false],
    ["gzip;q=1.0, br;q=0.5", "gzip", false],
    ["GZIP ; Q=0.5", "gzip", false],
    ["x-gzip", "gzip", false],
    ["*", "br", false],
    ["br;q=0, *;q=0.1", "gzip", false],
    ["gzip, *;q=0", "gzip", true],
    ["gzip, identity;q=0", "gzip", true],
    ["gzip;q=0.2, identity;q=0.2", "gzip", false]
  ] as const)("%s is %s", (header, coding, always) => {
    expect(agreeOn(header)).toEqual({ coding, always })
  })

  test.each([undefined, "", "identity", "zstd, deflate", "gzip;q=0", "*;q=0", "gzip;q=0.5, identity", "gzip;q=two"])(
    "%s selects no coding",
    (header) => {
      expect(agreeOn(header)).toBeUndefined()
    }
  )
})
