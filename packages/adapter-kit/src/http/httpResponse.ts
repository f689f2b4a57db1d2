import { Effect } from "effect"
import type { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { AdapterError, isAdapterError } from "../AdapterError.ts"

/** A response of a manufacturer's HTTP API. Header names are lower-case. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The parsed body; the text if it is not JSON. */
  readonly body: unknown
}

/** `upstream.errorCode` of a call whose response is larger than the platform reads: a smaller part of the data may be asked for. */
export const RESPONSE_TOO_LARGE = "RESPONSE_TOO_LARGE"

/** The failure of a call without a response: the network, or the platform, which holds a call back when a quota is used up. */
const failureWithoutResponse = (error: HttpClientError.HttpClientError): AdapterError => {
  if (isAdapterError(error.cause)) return error.cause
  if (error.reason._tag === "InvalidUrlError") {
    return AdapterError.of("misconfigured", error.reason.description ?? "The address is not allowed")
  }
  if (error.reason._tag === "DecodeError") {
    return AdapterError.of("unreachable", error.reason.description ?? "The response cannot be read", {
      upstream: {
        statusCode: error.reason.response.status,
        errorCode: RESPONSE_TOO_LARGE,
        errorMessage: null,
        requestId: null
      }
    })
  }
  return AdapterError.of("unreachable", "No complete response came back")
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Sends a request and reads the response, whatever its status. Messages of errors never contain the request. */
export const sendRequest = (
  http: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<HttpResponse, AdapterError> =>
  Effect.gen(function* () {
    const response = yield* http.execute(request)
    const text = yield* response.text
    return { status: response.status, headers: { ...response.headers }, body: parsed(text) }
  }).pipe(Effect.mapError(failureWithoutResponse))

/** The time in the header Retry-After (seconds or a date, RFC 9110), milliseconds since 1970; null without one. */
export const retryAfterHeader = (text: string | undefined, now: number): number | null => {
  if (text === undefined) return null
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(text)) return now + Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : date
}

/** A text of a response in the length that the platform stores; null without one. */
export const boundedText = (text: string | null | undefined, maximum: number): string | null =>
  text === null || text === undefined || text === "" ? null : text.slice(0, maximum)
