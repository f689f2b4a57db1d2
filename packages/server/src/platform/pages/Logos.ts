import { createHmac, timingSafeEqual } from "node:crypto"
import { ByteSize, Cache, Context, Data, Effect, Exit, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient, HttpClient, type HttpClientError, HttpClientRequest } from "effect/http"
import { OutboundHttp } from "../outbound/OutboundHttp.ts"
import { EncryptionKeys } from "../secrets/EncryptionKeys.ts"

/** Path under which logos are served. */
export const LOGOS = "/connect/logos"

const LIMIT = ByteSize.kibibytes(256)
const CAPACITY = 64

const images = ["image/png", "image/jpeg", "image/webp", "image/gif", "image/avif", "image/svg+xml"]

export interface Logo {
  readonly contentType: string
  readonly content: Uint8Array
}

/** Why a logo is not shown: it does not load, is too large, or is no image. */
class NoLogo extends Data.TaggedError("NoLogo")<{}> {}

const isHttps = (url: string) => URL.canParse(url) && new URL(url).protocol === "https:"

const fetchLogo = (client: HttpClient.HttpClient, url: string) =>
  Effect.gen(function* () {
    const response = yield* HttpClient.filterStatusOk(client).execute(HttpClientRequest.get(url))
    const contentType = (response.headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase()
    if (!images.includes(contentType)) return yield* new NoLogo()
    const chunks = yield* response.stream.pipe(
      Stream.limitBytes<HttpClientError.HttpClientError | NoLogo, never>(LIMIT, () => Stream.fail(new NoLogo())),
      Stream.runCollect
    )
    return { contentType, content: new Uint8Array(Buffer.concat(chunks)) } satisfies Logo
  }).pipe(
    Effect.timeout("5 seconds"),
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "error" }),
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
    Effect.catchCause(() => Effect.fail(new NoLogo()))
  )

/**
 * Logos of workspaces and manufacturers on our own origin, so that nobody else learns who opens a page. An address contains a
 * signature: the platform fetches only what one of its pages shows.
 */
export class Logos extends Context.Service<
  Logos,
  {
    /** The address of a logo on our own origin; null if it is no https address. */
    readonly path: (url: string) => string | null
    /** The image behind such an address, kept for an hour. */
    readonly load: (signature: string, encodedUrl: string) => Effect.Effect<Logo, NoLogo>
  }
>()("@edp/server/Logos") {
  static readonly layer = Layer.effect(
    Logos,
    Effect.gen(function* () {
      const outbound = yield* OutboundHttp
      const { current } = yield* EncryptionKeys
      const key = createHmac("sha256", Redacted.value(current)).update("connect logos").digest()
      const sign = (url: string) => createHmac("sha256", key).update(url).digest().subarray(0, 16)
      const cache = yield* Cache.makeWith(
        (url: string) => Effect.flatMap(outbound.client, (client) => fetchLogo(client, url)),
        { capacity: CAPACITY, timeToLive: (exit) => (Exit.isSuccess(exit) ? "1 hour" : "1 minute") }
      )
      return {
        path: (url) =>
          isHttps(url) ? `${LOGOS}/${sign(url).toString("base64url")}/${Buffer.from(url).toString("base64url")}` : null,
        load: (signature, encodedUrl) => {
          const url = Buffer.from(encodedUrl, "base64url").toString()
          const given = Buffer.from(signature, "base64url")
          const expected = sign(url)
          return given.length === expected.length && timingSafeEqual(given, expected)
            ? Cache.get(cache, url)
            : Effect.fail(new NoLogo())
        }
      }
    })
  )
}
