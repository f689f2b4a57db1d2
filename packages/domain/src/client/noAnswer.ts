import { HttpClientError, type HttpClientRequest } from "effect/http"

type Request = HttpClientRequest.HttpClientRequest

/** No answer, or only a part of one: whether the request arrived stays open. */
export const noAnswer = (request: Request, description: string, cause?: unknown): HttpClientError.HttpClientError =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, description, cause }) })

/** The failure of an attempt, told of a request that does not hold the key. */
export const withoutKey = (request: Request, { reason }: HttpClientError.HttpClientError) =>
  reason._tag === "InvalidUrlError"
    ? new HttpClientError.HttpClientError({
        reason: new HttpClientError.InvalidUrlError({ request, cause: reason.cause })
      })
    : noAnswer(request, reason.description ?? "no answer", reason.cause)
