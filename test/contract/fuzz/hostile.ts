import type { Random } from "../../support/Random.ts"

const nested = (depth: number, wrap: (inner: unknown) => unknown): unknown =>
  Array.from({ length: depth }).reduce((inner) => wrap(inner), 1 as unknown)

/** Values that are wrong nearly everywhere, and have broken something somewhere. */
const values: ReadonlyArray<() => unknown> = [
  () => null,
  () => true,
  () => 0,
  () => -1,
  () => -0,
  () => 1.5,
  () => 2 ** 31,
  () => Number.MAX_SAFE_INTEGER + 2,
  () => 1e308,
  () => 5e-324,
  () => "",
  () => " ",
  () => "\0",
  () => "a\0b",
  () => "\ud800",
  () => "\u202e\ufeff\u200b",
  () => "😀".repeat(60),
  () => "x".repeat(20_000),
  () => "'; DROP TABLE devices; --",
  () => "%s%n${7*7}{{7*7}}",
  () => "../../../etc/passwd",
  () => "__proto__",
  () => "NaN",
  () => "Infinity",
  () => "1e400",
  () => "0x10",
  () => "2026-02-30T00:00:00Z",
  () => "2026-01-01T00:00:60Z",
  () => "9999-12-31T23:59:59.999999999Z",
  () => "0000-01-01T00:00:00Z",
  () => "+275760-09-13T00:00:00.001Z",
  () => "2026-01-01",
  () => [],
  () => [[]],
  () => [null],
  () => Array.from({ length: 1001 }, (_, index) => index),
  () => ({}),
  () => ({ toString: "x", constructor: { prototype: {} } }),
  () => nested(20, (inner) => ({ inner })),
  () => nested(500, (inner) => [inner])
]

export const hostileValue = (random: Random): unknown => random.pick(values)()

/** Texts of numbers that JSON.stringify never writes. */
const literals = ["1e400", "-1e400", "123456789012345678901234567890", "0.1e-400", "1E+2", "-0.0"]

const bodies: ReadonlyArray<string | Buffer> = [
  "",
  "{",
  "{bad",
  "[]",
  "null",
  "3",
  '"text"',
  "undefined",
  "{}{}",
  '{"a":1,}',
  "\ufeff{}",
  "\0",
  "[".repeat(5000),
  `${'{"a":'.repeat(3000)}1${"}".repeat(3000)}`,
  '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}}}',
  '{"name":"a","name":"b"}',
  Buffer.from([0xff, 0xfe, 0x7b, 0x7d]),
  Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])
]

export const hostileBody = (random: Random): string | Buffer => random.pick(bodies)

/** Changes a body in one place: a value, a name, one more or one fewer. */
export const mutateBody = (body: Record<string, any>, random: Random): string | Buffer => {
  const names = Object.keys(body)
  const name = names.length === 0 ? "name" : random.pick(names)
  const { [name]: value, ...rest } = body
  switch (random.below(8)) {
    case 0:
      return hostileBody(random)
    case 1:
      return JSON.stringify(rest)
    case 2:
      return JSON.stringify({ ...body, [random.pick(["unknown", "id", "workspaceId", "constructor", "a.b", ""])]: 1 })
    case 3:
      return `{"__proto__":${JSON.stringify({ [name]: value ?? 1 })},${JSON.stringify(body).slice(1)}`.replace(
        ",}",
        "}"
      )
    case 4:
      return JSON.stringify({ ...rest, [name]: "@" }).replace('"@"', random.pick(literals))
    case 5:
      return JSON.stringify(body).slice(0, -1 - random.below(5))
    default:
      return JSON.stringify(mutateInside({ ...body }, name, random))
  }
}

const mutateInside = (body: Record<string, any>, name: string, random: Random) => {
  const value = body[name]
  const isObject = typeof value === "object" && value !== null && Object.keys(value).length > 0
  if (!isObject || random.chance(0.4)) return { ...body, [name]: hostileValue(random) }
  const inner = random.pick(Object.keys(value))
  const copy: any = Array.isArray(value) ? [...value] : { ...value }
  const deeper = copy[inner]
  const goesOn = typeof deeper === "object" && deeper !== null && Object.keys(deeper).length > 0 && random.chance(0.6)
  copy[inner] = goesOn ? mutateInside({ ...deeper }, random.pick(Object.keys(deeper)), random) : hostileValue(random)
  return { ...body, [name]: copy }
}

const pathPieces = [
  "%00",
  "%zz",
  "%",
  "%E2%82",
  "%F0%9F%98%80",
  "..",
  ".",
  "%2e%2e",
  "%2F",
  "a".repeat(3000),
  "null",
  "*",
  ":id",
  "__proto__",
  "-1",
  "a%20b",
  "%C0%AF"
]

export const hostileSegment = (random: Random) => random.pick(pathPieces)

const queryPieces = [
  "page=1&page=2",
  "page=0",
  "page=-1",
  "page=1e3",
  "page=%00",
  "page=",
  "page",
  "perPage=101",
  "perPage=99999999999999999999",
  "perPage=1%20",
  "__proto__=1",
  "constructor=1",
  "unknown=1",
  "tag[]=a",
  "tag=,,,",
  "q=%",
  "q=%ff%fe",
  "q=%25%5f%27%3b--",
  "cursor=",
  "cursor=AAAA",
  "cursor=WyJ4Il0",
  "from=yesterday",
  "siteId=%00",
  "%00=%00",
  "=",
  "&&&",
  "a".repeat(4000)
]

export const hostileQuery = (random: Random) => random.pick(queryPieces)

const headers: ReadonlyArray<Readonly<Record<string, string | ReadonlyArray<string>>>> = [
  { "content-type": "text/xml" },
  { "content-type": "application/x-www-form-urlencoded" },
  { "content-type": "multipart/form-data" },
  { "content-type": "multipart/form-data; boundary=x" },
  { "content-type": "application/json; charset=utf-16" },
  { "content-type": "APPLICATION/JSON" },
  { "content-type": "application/vnd.api+json" },
  { "content-type": ";" },
  { "content-encoding": "gzip" },
  { "transfer-encoding": "chunked" },
  { accept: "text/csv" },
  { accept: "image/png;q=0" },
  { "x-request-id": "x".repeat(500) },
  { "x-request-id": "caller-17" },
  { "x-request-id": ["one", "two"] },
  { "x-http-method-override": "DELETE" },
  { "x-forwarded-for": "1.2.3.4, , ::1, nonsense" },
  { "if-none-match": "*" },
  { range: "bytes=0-1" },
  { expect: "100-continue" },
  { cookie: "a".repeat(4000) },
  { traceparent: "00-zz-zz-01" },
  { "idempotency-key": "once" },
  { "service-api-key": ["server_a", "server_b"] },
  { "service-api-key": "server_é" },
  { "service-api-key": `server_${"0".repeat(8000)}` }
]

export const hostileHeaders = (random: Random) => random.pick(headers)

export const oddMethods = [
  "HEAD",
  "OPTIONS",
  "TRACE",
  "PROPFIND",
  "QUERY",
  "PURGE",
  "PUT",
  "PATCH",
  "DELETE",
  "POST",
  "GET"
]
