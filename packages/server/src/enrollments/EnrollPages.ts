import type { EnrollView, FormFailure } from "@edp/hosted-pages/enroll/pageTypes"
import { renderEnrollPage } from "@edp/hosted-pages/render"
import { type PageRequest, plainContext } from "@edp/hosted-pages/scene/scene"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { CurrentRequest } from "../platform/http/RequestInfo.ts"
import { Assets } from "../platform/pages/Assets.ts"
import { field, type Fields, singleFields } from "../platform/pages/formFields.ts"
import { chooseLanguage, isLanguage } from "../platform/pages/language.ts"
import { Logos } from "../platform/pages/Logos.ts"
import {
  htmlPage,
  queryFields,
  readForm,
  refusedForm,
  seeOther,
  withFailurePage
} from "../platform/pages/pageResponses.ts"
import { newBrowser, type Visitor, visitorCookies } from "../platform/pages/visitors.ts"
import { callerNetwork } from "../platform/rate-limits/callerNetwork.ts"
import { RateLimitStore } from "../platform/rate-limits/RateLimitStore.ts"
import { type Application, EnrollFlow, type EnrollResult, type KnownVisitor } from "./flow/EnrollFlow.ts"
import { isFormToken } from "./pages/formToken.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Names of pages that the platform could have made. Others need no look at the database. */
const slugForm = /^[a-z0-9-]{1,63}$/
const tokenForm = /^[\w-]{43}$/

/** Forms and connect sessions that one network may begin in a minute: a person needs one of each, and a mistake is no rarity. */
const PER_MINUTE = 10

const KEPT_MS = 90 * 86_400_000

const isProblem = (view: EnrollView) =>
  view.page === "apply" && (view.failure !== null || view.needsAcceptance || Object.keys(view.form.problems).length > 0)

/** Pages about things that will not come back. */
const isGone = (view: EnrollView) =>
  view.page === "expired" ||
  (view.page === "confirm" && (view.link === "expired" || view.link === "unknown")) ||
  (view.page === "closed" && ["archived", "ended", "deadline_passed"].includes(view.closed))

const viewStatus = (view: EnrollView): number => {
  if (view.page === "unknown") return 404
  if (isGone(view)) return 410
  return isProblem(view) ? 422 : 200
}

/** Browsers indicate whether another site sent the form. */
const isForeign = ({ headers }: Request) => !["same-origin", "none", undefined].includes(headers["sec-fetch-site"])

const make = Effect.gen(function* () {
  const router = yield* HttpRouter.HttpRouter
  const flow = yield* EnrollFlow
  const limits = yield* RateLimitStore
  const assets = yield* Assets
  const logos = yield* Logos
  const { publicUrl } = yield* ServerConfig
  const cookies = visitorCookies(publicUrl)

  const pageRequest = (base: string | null, here?: string): PageRequest => ({
    base,
    ...(here !== undefined && { here }),
    assets: assets.paths,
    logoPath: logos.path,
    refreshes: false
  })

  const keptName = (pageSlug: string) => cookies.nameIn(`edp-enroll-${pageSlug}`)

  const keptToken = (request: Request, pageSlug: string) => {
    const token = request.cookies[keptName(pageSlug)] ?? ""
    return tokenForm.test(token) ? token : null
  }

  const keep = (response: Response, pageSlug: string, token: string) =>
    cookies.set(response, keptName(pageSlug), token, { maxAge: KEPT_MS })

  const show = (
    view: EnrollView,
    base: string,
    more: { readonly status?: number; readonly retryAfter?: number } = {}
  ) =>
    htmlPage(
      more.status ?? viewStatus(view),
      renderEnrollPage(
        view,
        pageRequest(view.page === "unknown" ? null : base, view.page === "apply" ? `${base}/apply` : base)
      ),
      more.retryAfter === undefined ? {} : { "retry-after": String(more.retryAfter) }
    )

  /** The response to a result, which the browser keeps where it is an enrollment of its own. */
  const follow = (result: EnrollResult, pageSlug: string, base: string): Response => {
    if (result.kind === "view") return show(result.view, base)
    if (result.kind === "session") return seeOther(`/connect/${result.token}`)
    return keep(seeOther(`/enroll/${pageSlug}/${result.token}`), pageSlug, result.token)
  }

  /** Names the route for metrics, responses failures with a page, and what cannot be a page with that of unknown ones. */
  const page = <E, R>(
    route: string,
    respond: (at: {
      readonly pageSlug: string
      readonly token: string
      readonly base: string
      readonly request: Request
      readonly visitor: Visitor
    }) => Effect.Effect<Response, E, R>
  ) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { page: pageSlug = "", token = "" } = yield* HttpRouter.params
      const info = yield* CurrentRequest
      info.route = route
      const visitor = cookies.visitorFrom(request)
      const isOne = slugForm.test(pageSlug) && (token === "" || tokenForm.test(token))
      const isLink = route.startsWith("/enroll/:page/email/")
      const base = `/enroll/${pageSlug}${token === "" ? "" : `${isLink ? "/email" : ""}/${token}`}`
      if (!isOne) return unknown(visitor)
      const language = field(queryFields(request), "language")
      if (request.method === "GET" && isLanguage(language)) {
        return cookies.setLanguage(seeOther(request.url.split("?")[0]!), language)
      }
      return yield* withFailurePage(respond({ pageSlug, token, base, request, visitor }), visitor, pageRequest(base))
    })

  /** No instance has this name. */
  const unknown = ({ language, languages }: Visitor): Response => {
    const context = plainContext(chooseLanguage(language, languages))
    return htmlPage(404, renderEnrollPage({ ...context, page: "unknown" }, pageRequest(null)))
  }

  const open = page("/enroll/:page", ({ base, pageSlug, request, visitor }) =>
    Effect.map(flow.open(pageSlug, visitor, keptToken(request, pageSlug)), (result) => follow(result, pageSlug, base))
  )

  const form = page("/enroll/:page/apply", ({ base, pageSlug, visitor }) =>
    Effect.gen(function* () {
      const known = { ...visitor, cookie: visitor.cookie ?? newBrowser() }
      const response = follow(yield* flow.form(pageSlug, known), pageSlug, base)
      return visitor.cookie === null ? cookies.setBrowser(response, known.cookie) : response
    })
  )

  /** Counts against the visitor's network. The window's end, if the network has had enough. */
  const spent = (kind: "apply" | "connect" | "email") =>
    Effect.gen(function* () {
      const { address } = yield* CurrentRequest
      const taken = yield* limits.take(`enroll ${kind}:${callerNetwork(address)}`)
      return taken.count > PER_MINUTE ? taken : undefined
    })

  const tooMany = ({ retryAfter }: { readonly retryAfter: number }, visitor: Visitor, base: string) =>
    HttpServerResponse.setHeader(refusedForm(visitor, pageRequest(base), 429), "retry-after", String(retryAfter))

  const toApplication = (fields: Fields): Application => {
    const { accept, form: formToken = "", termsVersion = "", ...typed } = singleFields(fields)
    return {
      fields: typed,
      formToken,
      accepted: accept === "yes",
      termsVersion: /^\d{1,9}$/.test(termsVersion) ? Number(termsVersion) : 0
    }
  }

  const refuse = (
    visitor: KnownVisitor,
    pageSlug: string,
    application: Application,
    failure: FormFailure,
    more: { readonly status?: number; readonly retryAfter?: number } = {}
  ) =>
    Effect.map(flow.refuse(pageSlug, visitor, application, failure), (result) =>
      result.kind === "view" && result.view.page === "apply"
        ? show(result.view, `/enroll/${pageSlug}`, more)
        : follow(result, pageSlug, `/enroll/${pageSlug}`)
    )

  const submit = page("/enroll/:page/apply", ({ base, pageSlug, request, visitor }) =>
    Effect.gen(function* () {
      if (isForeign(request)) return refusedForm(visitor, pageRequest(base), 403)
      const fields = yield* readForm(request)
      if (fields === undefined) return refusedForm(visitor, pageRequest(base), 400)
      const application = toApplication(fields)
      const known = { ...visitor, cookie: visitor.cookie ?? newBrowser() }
      if (visitor.cookie === null || !isFormToken(application.formToken, visitor.cookie, pageSlug)) {
        return cookies.setBrowser(yield* refuse(known, pageSlug, application, "not_from_page"), known.cookie)
      }
      const taken = yield* spent("apply")
      if (taken !== undefined) {
        return yield* refuse(known, pageSlug, application, "too_many", { status: 429, retryAfter: taken.retryAfter })
      }
      return follow(yield* flow.submit(pageSlug, known, application, keptToken(request, pageSlug)), pageSlug, base)
    })
  )

  const back = page("/enroll/:page/back", ({ base, pageSlug, request, visitor }) =>
    Effect.map(flow.comeBack(pageSlug, visitor, keptToken(request, pageSlug)), (result) =>
      follow(result, pageSlug, base)
    )
  )

  const enrollment = page("/enroll/:page/:token", ({ base, pageSlug, request, token, visitor }) =>
    Effect.map(flow.enrollment(pageSlug, visitor, token), (result) => {
      const response = follow(result, pageSlug, base)
      // A browser that has begun no other enrollment comes back to this one from the connect pages.
      const isNew = keptToken(request, pageSlug) === null && result.kind === "view" && result.view.page === "status"
      return isNew ? keep(response, pageSlug, token) : response
    })
  )

  const connect = page("/enroll/:page/:token/connect", ({ base, pageSlug, request, token, visitor }) =>
    Effect.gen(function* () {
      if (isForeign(request)) return refusedForm(visitor, pageRequest(base), 403)
      if ((yield* readForm(request)) === undefined) return refusedForm(visitor, pageRequest(base), 400)
      const taken = yield* spent("connect")
      if (taken !== undefined) return tooMany(taken, visitor, base)
      return follow(yield* flow.connect(pageSlug, visitor, token), pageSlug, base)
    })
  )

  const sendAgain = page("/enroll/:page/:token/email", ({ base, pageSlug, request, token, visitor }) =>
    Effect.gen(function* () {
      if (isForeign(request)) return refusedForm(visitor, pageRequest(base), 403)
      if ((yield* readForm(request)) === undefined) return refusedForm(visitor, pageRequest(base), 400)
      const taken = yield* spent("email")
      if (taken !== undefined) return tooMany(taken, visitor, base)
      return follow(yield* flow.sendAgain(pageSlug, visitor, token), pageSlug, base)
    })
  )

  const emailLink = page("/enroll/:page/email/:token", ({ base, pageSlug, request, token, visitor }) =>
    Effect.map(flow.emailLink(pageSlug, visitor, token, keptToken(request, pageSlug)), (result) =>
      follow(result, pageSlug, base)
    )
  )

  const confirmEmail = page("/enroll/:page/email/:token/confirm", ({ base, pageSlug, request, token, visitor }) =>
    Effect.gen(function* () {
      if (isForeign(request)) return refusedForm(visitor, pageRequest(base), 403)
      if ((yield* readForm(request)) === undefined) return refusedForm(visitor, pageRequest(base), 400)
      const result = yield* flow.confirmEmail(pageSlug, visitor, token, keptToken(request, pageSlug))
      // From there on the page leads to that of the program.
      return follow(result, pageSlug, `/enroll/${pageSlug}`)
    })
  )

  /** Somebody opens the address of a step. */
  const reopen = page("/enroll/:page/:token/connect", ({ base }) => Effect.succeed(seeOther(base)))

  const emailLinkAgain = page("/enroll/:page/email/:token/confirm", ({ base }) => Effect.succeed(seeOther(base)))

  /** Other methods and paths below ours: a person may have mistyped an address. */
  const elsewhere = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const info = yield* CurrentRequest
    info.route = "/enroll/*"
    const visitor = cookies.visitorFrom(request)
    return request.method === "GET" ? unknown(visitor) : refusedForm(visitor, pageRequest(null), 405)
  })

  yield* router.add("GET", "/enroll/:page", open)
  yield* router.add("GET", "/enroll/:page/apply", form)
  yield* router.add("POST", "/enroll/:page/apply", submit)
  yield* router.add("GET", "/enroll/:page/back", back)
  yield* router.add("GET", "/enroll/:page/email/:token", emailLink)
  yield* router.add("GET", "/enroll/:page/email/:token/confirm", emailLinkAgain)
  yield* router.add("POST", "/enroll/:page/email/:token/confirm", confirmEmail)
  yield* router.add("GET", "/enroll/:page/:token", enrollment)
  yield* router.add("GET", "/enroll/:page/:token/email", reopen)
  yield* router.add("POST", "/enroll/:page/:token/email", sendAgain)
  yield* router.add("GET", "/enroll/:page/:token/connect", reopen)
  yield* router.add("POST", "/enroll/:page/:token/connect", connect)
  // A wildcard also stands for the path without its last part. HEAD is left to GET.
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const) {
    yield* router.add(method, "/enroll/*", elsewhere)
  }
})

/** The hosted enrollment pages. They need no key. */
export const EnrollPages = {
  layer: Layer.effectDiscard(make).pipe(Layer.provide([Assets.layer, Logos.layer]))
}
