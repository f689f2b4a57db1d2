import { ServiceUnavailable } from "@edp/domain/errors/ApiErrors"
import { renderFailure, renderLeaving, renderRefusedForm } from "@edp/hosted-pages/render"
import type { PageRequest } from "@edp/hosted-pages/scene/scene"
import { ByteSize, Cause, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Fields, FORM_LIMIT_KIB, parseFields } from "./formFields.ts"
import { pageHeaders } from "./headers.ts"
import { chooseLanguage } from "./language.ts"
import type { Visitor } from "./visitors.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** An HTML document with the headers that keep it to itself. */
export const htmlPage = (status: number, markup: string, more: Readonly<Record<string, string>> = {}): Response =>
  HttpServerResponse.text(markup, {
    status,
    contentType: "text/html; charset=utf-8",
    headers: { ...pageHeaders, ...more }
  })

export const seeOther = (url: string): Response =>
  HttpServerResponse.empty({
    status: 303,
    headers: { location: url, "cache-control": "no-store", "referrer-policy": "no-referrer" }
  })

export const queryFields = (request: Request): Fields => parseFields(request.url.split("?")[1] ?? "") ?? new Map()

const isForm = ({ headers }: Request) =>
  /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headers["content-type"] ?? "")

/** The fields of a posted form; undefined if it can't be read. */
export const readForm = (request: Request): Effect.Effect<Fields | undefined> => {
  const limit = ByteSize.kibibytes(FORM_LIMIT_KIB)
  if (Number(request.headers["content-length"]) > ByteSize.toNumberUnsafe(limit)) return Effect.succeed(undefined)
  if (!isForm(request)) return Effect.succeed(undefined)
  return request.text.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, limit),
    Effect.map(parseFields),
    Effect.catch(() => Effect.succeed(undefined))
  )
}

const visitorLanguage = ({ language, languages }: Visitor) => chooseLanguage(language, languages)

/** An address elsewhere. A page leads there, because `form-action` would have to name it to let a form's redirect pass. */
export const leaveTo = (visitor: Visitor, request: PageRequest, url: string): Response => {
  const { href } = new URL(url)
  return htmlPage(200, renderLeaving(visitorLanguage(visitor), request, href), { refresh: `0; url=${href}` })
}

export const refusedForm = (visitor: Visitor, request: PageRequest, status: number): Response =>
  htmlPage(status, renderRefusedForm(visitorLanguage(visitor), request))

export const failed = (visitor: Visitor, request: PageRequest, status: 500 | 503): Response =>
  htmlPage(status, renderFailure(visitorLanguage(visitor), request), status === 503 ? { "retry-after": "30" } : {})

/** Responds to failures with a page. After SERVICE_UNAVAILABLE the visitor may try again soon. */
export const withFailurePage = <E, R>(
  response: Effect.Effect<Response, E, R>,
  visitor: Visitor,
  request: PageRequest
): Effect.Effect<Response, never, R> =>
  response.pipe(
    Effect.catchIf(
      (error): error is E & ServiceUnavailable => error instanceof ServiceUnavailable,
      () => Effect.succeed(failed(visitor, request, 503))
    ),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause as Cause.Cause<never>)
        : Effect.as(Effect.logError("Unexpected error", cause), failed(visitor, request, 500))
    )
  )
