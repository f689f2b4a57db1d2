import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { Clock, Context, Effect, Fiber, Layer, Redacted } from "effect"
import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { Authorization } from "@edp/adapter-kit/ManufacturerAdapter"
import { Accounts } from "../../accounts/Accounts.ts"
import type { Read } from "@edp/hosted-pages/scene/formState"
import { chooseLanguage } from "../../platform/pages/language.ts"
import { isComplete, readAddress, readCustomer } from "../../platform/pages/personForm.ts"
import type { Visitor } from "../../platform/pages/visitors.ts"
import { SecretBox } from "../../platform/secrets/SecretBox.ts"
import { type DatabaseUnavailable, resultUnlessUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { Sites } from "../../sites/Sites.ts"
import { AccountLinking, guarded } from "../linking/AccountLinking.ts"
import {
  type BegunAuthorization,
  Authorizations,
  isSameBrowser,
  type OAuthAuthorization
} from "../sign-in/Authorizations.ts"
import { CallerReturns } from "../sign-in/CallerReturns.ts"
import { type Change, ConnectSessions, sha256 } from "../sessions/ConnectSessions.ts"
import { DeviceAttempts, isUnreached, namesHost } from "../linking/DeviceAttempts.ts"
import { FlowViews, preselected } from "./FlowViews.ts"
import type { FlowView, FormFailure } from "@edp/hosted-pages/connect/pageTypes"
import { readFields } from "./forms.ts"
import { SignInReturns, mayReturn } from "../sign-in/SignInReturns.ts"
import { claimHolder, type SessionRow, instructionsPurpose, isHosted } from "../sessionRow.ts"
import { isFinal } from "../sessionStatus.ts"

/** Version of the text of the consent page: it changes with what the text says, not with its words. */
const CONSENT_VERSION = "1"

/** Result of a request to the hosted pages. */
export type FlowResult =
  | { readonly kind: "view"; readonly view: FlowView }
  | {
      readonly kind: "redirect"
      readonly url: string
      /** To the manufacturer or the caller; otherwise a page of the flow, such as `/connect/<token>`. */
      readonly external: boolean
      /** To the manufacturer, from where the person may come back in another browser or in an app. */
      readonly isSignIn?: boolean
    }

type Form = Readonly<Record<string, string>>

/** How many of the browsers that have opened a link are kept. */
const REMEMBERED_BROWSERS = 20

/**
 * The hosted flow. `token` is the session's token in the link. Each method does what the session's status permits, otherwise it
 * responds with the page that comes next, so that a repeated, late or concurrent request shows the result of the first.
 */
export class ConnectFlow extends Context.Service<
  ConnectFlow,
  {
    /** The page that comes next. */
    readonly open: (token: string, visitor: Visitor) => Effect.Effect<FlowResult, DatabaseUnavailable>
    /** Fields as on the page `customer`. */
    readonly submitCustomer: (
      token: string,
      visitor: Visitor,
      form: Form
    ) => Effect.Effect<FlowResult, DatabaseUnavailable>
    readonly searchManufacturers: (
      token: string,
      visitor: Visitor,
      query: { readonly search: string; readonly deviceType: DeviceType | null }
    ) => Effect.Effect<FlowResult, DatabaseUnavailable>
    readonly chooseManufacturer: (
      token: string,
      visitor: Visitor,
      slug: string
    ) => Effect.Effect<FlowResult, DatabaseUnavailable>
    /** Back to the choice of the manufacturer, if the session has one. */
    readonly chooseAnother: (token: string, visitor: Visitor) => Effect.Effect<FlowResult, DatabaseUnavailable>
    /** Leads to the manufacturer, or to the form of a local device. Refused consent ends in the error `consent_refused`. */
    readonly consent: (
      token: string,
      visitor: Visitor,
      granted: boolean
    ) => Effect.Effect<FlowResult, DatabaseUnavailable>
    /** Fields as on the page `form`. `isOver`: the visitor's network has sent as many as it may, so nothing is tried. */
    readonly submitForm: (
      token: string,
      visitor: Visitor,
      values: Form,
      isOver?: boolean
    ) => Effect.Effect<FlowResult, DatabaseUnavailable>
    /** The return from a manufacturer, with all parameters of the query. */
    readonly callback: (visitor: Visitor, parameters: Form) => Effect.Effect<FlowResult, DatabaseUnavailable>
    readonly chooseDevices: (
      token: string,
      visitor: Visitor,
      choice: {
        readonly manufacturerDeviceIds: ReadonlyArray<string>
        /** Fields as on the page `system`; null where it shows none. */
        readonly address: Form | null
      }
    ) => Effect.Effect<FlowResult, DatabaseUnavailable>
    /** After the last page: back to the caller, with the key if it is due to the visitor. */
    readonly leave: (token: string, visitor: Visitor) => Effect.Effect<FlowResult, DatabaseUnavailable>
    /** After an error: the step that failed once more. */
    readonly retry: (token: string, visitor: Visitor) => Effect.Effect<FlowResult, DatabaseUnavailable>
    /** The visitor gives up: the error `access_denied`. */
    readonly cancel: (token: string, visitor: Visitor) => Effect.Effect<FlowResult, DatabaseUnavailable>
  }
>()("@edp/server/ConnectFlow") {
  static readonly layer = Layer.effect(
    ConnectFlow,
    Effect.gen(function* () {
      const sessions = yield* ConnectSessions
      const authorizations = yield* Authorizations
      const returns = yield* SignInReturns
      const linking = yield* AccountLinking
      const callerReturns = yield* CallerReturns
      const accounts = yield* Accounts
      const views = yield* FlowViews
      const attempts = yield* DeviceAttempts
      const sites = yield* Sites
      const box = yield* SecretBox
      const scope = yield* Effect.scope

      /** Goes on when the visitor closes the connection: a code is exchanged once, and its account must not be lost. */
      const untilDone = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        Effect.flatMap(Effect.forkIn(effect, scope), Fiber.join)

      const show = <V extends FlowView, E>(view: Effect.Effect<V, E>): Effect.Effect<FlowResult, E> =>
        Effect.map(view, (each) => ({ kind: "view", view: each }))
      const showUnknown = (visitor: Visitor) => show(Effect.succeed(views.unknown(visitor)))
      const goTo = (token: string): Effect.Effect<FlowResult> =>
        Effect.succeed({ kind: "redirect", url: `/connect/${token}`, external: false })
      const leaveTo = (url: string): FlowResult => ({ kind: "redirect", url, external: true })
      const leaveForSignIn = (url: string): FlowResult => ({ kind: "redirect", url, external: true, isSignIn: true })

      const findInstance = (session: SessionRow) =>
        session.manufacturer === null
          ? Effect.succeed(undefined)
          : accounts
              .instance(session.manufacturer)
              .pipe(Effect.catchTag("NotConnectable", () => Effect.succeed(undefined)))

      const hasConsent = ({ consent, manufacturer }: SessionRow) =>
        consent !== null && consent.manufacturer === manufacturer

      /** The end of a session whose visitor has nothing more to read leads back to the caller. */
      const leave = Effect.fnUntraced(function* (
        session: SessionRow,
        recipient: Parameters<typeof callerReturns.take>[1],
        otherwise: Effect.Effect<FlowResult, DatabaseUnavailable>
      ) {
        const url = yield* callerReturns.take(session, recipient)
        return url === null ? yield* otherwise : leaveTo(url)
      })

      // Choice of the manufacturer

      /** The change of a session that selects a manufacturer. */
      const choosing = Effect.fnUntraced(function* (slug: string) {
        const isConnectable = (yield* accounts.manufacturers).some((each) => each.slug === slug)
        return {
          manufacturer: slug,
          ...(!isConnectable && { path: ["UNSUPPORTED_MANUFACTURER"] as const })
        } satisfies Change
      })

      /** On to the selection, where a manufacturer that is selected in advance counts as chosen. */
      const selecting = Effect.fnUntraced(function* (session: SessionRow) {
        const slug = preselected(session)
        const chosen: Change = slug === undefined ? {} : yield* choosing(slug)
        return { ...chosen, path: ["SELECTING_MANUFACTURER", ...(chosen.path ?? [])] } satisfies Change
      })

      const needsAddress = ({ siteId }: SessionRow) => siteId === null

      const start = Effect.fnUntraced(function* (session: SessionRow) {
        const isKnown =
          session.customerId !== null ||
          session.reconnectId !== null ||
          isComplete(session.customerInfo, needsAddress(session))
        const next: Change = isKnown ? yield* selecting(session) : { path: ["ENTERING_CUSTOMER_INFO"] }
        return yield* sessions.change(session.id, ({ status }) =>
          Effect.succeed(status === "PENDING" ? { ...next, path: ["STARTED", ...(next.path ?? [])] } : undefined)
        )
      })

      // Sign-in

      /** A crash or a stop lost the sign-in on its way. */
      const LOST_AFTER = 120_000

      const begin = Effect.fnUntraced(function* (
        session: SessionRow,
        authorization: OAuthAuthorization,
        token: string,
        visitor: Visitor
      ) {
        const prepared = yield* resultUnlessUnavailable(
          guarded(
            authorizations.prepare({
              sessionId: session.id,
              manufacturer: session.manufacturer!,
              authorization,
              language: chooseLanguage(visitor.language ?? session.language, visitor.languages),
              token,
              browser: visitor.cookie
            })
          )
        )
        if (prepared._tag === "Failure") {
          yield* linking.failWith(session, prepared.failure)
          return yield* goTo(token)
        }
        yield* authorizations.store(prepared.success.row)
        return leaveForSignIn(prepared.success.url)
      })

      /** Leads to the manufacturer, or to the page on which the account or device is named. */
      const authorize = Effect.fnUntraced(function* (session: SessionRow, token: string, visitor: Visitor) {
        const instance = yield* findInstance(session)
        const isReady = session.status === "AUTHORIZING_MANUFACTURER" && session.accountId === null
        return isReady && instance?.authorization.kind === "oauth2"
          ? yield* begin(session, instance.authorization, token, visitor)
          : yield* goTo(token)
      })

      const presentAuthorizing = Effect.fnUntraced(function* (session: SessionRow, visitor: Visitor) {
        if (session.manufacturer === null) return yield* show(views.manufacturers(session, visitor))
        const instance = yield* findInstance(session)
        if (instance === undefined) return yield* show(views.unsupported(session, visitor))
        const { authorization } = instance
        if (!hasConsent(session) && session.mode === "standard") return yield* show(views.consent(session, visitor))
        if (authorization.kind === "oauth2") {
          const begun = yield* authorizations.newest(session.id)
          const isLost =
            begun?.redeemedAt != null && begun.redeemedAt.getTime() + LOST_AFTER < (yield* Clock.currentTimeMillis)
          if (!isLost) return yield* show(views.waiting(session, visitor))
          return yield* session.accountId === null
            ? Effect.andThen(linking.fail(session, "server_error"), present(session.id, visitor))
            : Effect.andThen(untilDone(linking.discover(session)), present(session.id, visitor))
        }
        if (session.accountId === null) return yield* show(views.form(session, visitor, authorization))
        const after = yield* untilDone(linking.discover(session))
        return after.status === session.status
          ? yield* show(views.waiting(after, visitor))
          : yield* presentSession(after, visitor)
      })

      /** The page of a session as it is. */
      const presentSession = (
        session: SessionRow,
        visitor: Visitor
      ): Effect.Effect<FlowResult, DatabaseUnavailable> => {
        switch (session.status) {
          case "PENDING":
          case "STARTED":
            return session.mode === "headless"
              ? show(views.waiting(session, visitor))
              : Effect.flatMap(start(session), (started) => presentSession(started, visitor))
          case "ENTERING_CUSTOMER_INFO":
            return show(Effect.succeed(views.customer(session, visitor)))
          case "SELECTING_MANUFACTURER":
            return session.manufacturer === null
              ? show(views.manufacturers(session, visitor))
              : show(views.consent(session, visitor))
          case "UNSUPPORTED_MANUFACTURER":
            return show(views.unsupported(session, visitor))
          case "AUTHORIZING_MANUFACTURER":
            return presentAuthorizing(session, visitor)
          case "ENTERING_SYSTEM_INFO":
            return show(views.system(session, visitor))
          case "SUCCESS":
            return show(views.done(session, visitor))
          default:
            return show(views.error(session, visitor))
        }
      }

      const present = (id: string, visitor: Visitor): Effect.Effect<FlowResult, DatabaseUnavailable> =>
        Effect.flatMap(sessions.find(id), (session) => presentSession(session!, visitor))

      /** The session of a link that still works. */
      const withSession = (
        token: string,
        visitor: Visitor,
        use: (session: SessionRow) => Effect.Effect<FlowResult, DatabaseUnavailable>
      ): Effect.Effect<FlowResult, DatabaseUnavailable> =>
        Effect.flatMap(sessions.findByToken(token), (session) =>
          session === undefined ? showUnknown(visitor) : use(session)
        )

      /** An account that was begun for a choice that the person has changed. */
      const dropAccount = (session: SessionRow) =>
        session.accountId === null || isFinal(session.status) ? Effect.void : accounts.discard(session.accountId)

      const withoutAccount = { accountId: null, discovered: null, sealedInstructions: null }

      // Return from the manufacturer

      const digest = (browser: string) => Buffer.from(sha256(browser)).toString("base64url")

      /** Keeps the browsers that have opened the link: whoever has it may be led to its pages. */
      const remember = (session: SessionRow, { cookie }: Visitor) => {
        const browser = cookie === null ? undefined : digest(cookie)
        if (browser === undefined || session.openedBy.includes(browser) || isFinal(session.status)) return Effect.void
        return sessions.change(session.id, ({ openedBy }) =>
          Effect.succeed(
            openedBy.includes(browser) ? undefined : { openedBy: [...openedBy, browser].slice(-REMEMBERED_BROWSERS) }
          )
        )
      }

      const hasOpened = ({ openedBy }: SessionRow, { cookie }: Visitor) =>
        cookie !== null && openedBy.includes(digest(cookie))

      /** After a return that leads this browser nowhere: a page without the key, and without anything about the person. */
      const showReturned = (session: SessionRow, { browserHash, token }: BegunAuthorization, visitor: Visitor) => {
        const knowsLink = token !== null && (isSameBrowser(browserHash, visitor.cookie) || hasOpened(session, visitor))
        return show(views.returned(session, visitor, knowsLink ? `/connect/${token}` : null))
      }

      /** After the return that took the state: back to the session's page, and in headless mode to the caller. */
      const afterCallback = (session: SessionRow, begun: BegunAuthorization, visitor: Visitor) => {
        const otherwise = showReturned(session, begun, visitor)
        if (begun.token === null) {
          const isOver = isFinal(session.status) || session.status === "ERROR"
          return isOver ? leave(session, "accepted return", otherwise) : otherwise
        }
        if (!isSameBrowser(begun.browserHash, visitor.cookie)) return otherwise
        return session.status === "SUCCESS" ? leaveUnlessMoreToRead(session, begun.token, visitor) : goTo(begun.token)
      }

      /** The state of another browser's sign-in, in one that has opened other links alone. */
      const isForeign = (session: SessionRow, { browserHash }: BegunAuthorization, visitor: Visitor) =>
        browserHash !== null &&
        visitor.cookie !== null &&
        !isSameBrowser(browserHash, visitor.cookie) &&
        !hasOpened(session, visitor)

      const leaveUnlessMoreToRead = Effect.fnUntraced(function* (session: SessionRow, token: string, visitor: Visitor) {
        const view = yield* views.done(session, visitor)
        const hasInterventions = view.page === "done" && view.interventions.length > 0
        return hasInterventions ? yield* goTo(token) : yield* leave(session, visitor, goTo(token))
      })

      const returned = Effect.fnUntraced(function* (visitor: Visitor, parameters: Form) {
        const { state = "", code = "", error, iss } = parameters
        const begun = yield* authorizations.find(state)
        if (begun === undefined) return yield* showUnknown(visitor)
        const session = (yield* sessions.find(begun.sessionId))!
        if (isForeign(session, begun, visitor)) return yield* showUnknown(visitor)
        // Without a code or an error the state is left for the person's own return.
        const isOutcome = code !== "" || error !== undefined
        const isFirst = begun.redeemedAt === null && begun.refusedAt === null
        if (isOutcome && isFirst && begun.token === null && session.status === "EXPIRED") {
          return yield* leave(session, visitor, showReturned(session, begun, visitor))
        }
        const instance = yield* findInstance(session)
        const authorization = instance?.authorization
        if (!isOutcome || authorization?.kind !== "oauth2" || !mayReturn(session, begun)) {
          return yield* showReturned(session, begun, visitor)
        }
        // A response of another server, for which the code was not meant (RFC 9207).
        const isOfOtherServer = iss !== undefined && authorization.issuer !== undefined && iss !== authorization.issuer
        if (isOfOtherServer) return yield* showUnknown(visitor)
        const after =
          error === undefined
            ? yield* returns.exchange(begun, authorization, parameters)
            : yield* returns.refuse(begun, error)
        return yield* after.isTaken
          ? afterCallback(after.session, begun, visitor)
          : showReturned(after.session, begun, visitor)
      })

      // The forms

      /** Choosing again, also while the person is at the manufacturer. */
      const choosesManufacturer = ({ status }: SessionRow) =>
        ["SELECTING_MANUFACTURER", "UNSUPPORTED_MANUFACTURER", "AUTHORIZING_MANUFACTURER", "ERROR"].includes(status)

      const toSelection = ({ status }: SessionRow): Change["path"] & {} =>
        status === "UNSUPPORTED_MANUFACTURER" || status === "ERROR" ? ["SELECTING_MANUFACTURER"] : []

      const choose = Effect.fnUntraced(function* (session: SessionRow, token: string, slug: string | null) {
        if (preselected(session) !== undefined || !choosesManufacturer(session)) return yield* goTo(token)
        const isOffered = slug === null || (yield* views.offered(session)).some((each) => each.slug === slug)
        if (!isOffered) return yield* goTo(token)
        const chosen: Change = slug === null ? { manufacturer: null } : yield* choosing(slug)
        let left: SessionRow | undefined
        yield* sessions.change(session.id, (now) => {
          if (!choosesManufacturer(now)) return Effect.succeed(undefined)
          left = now
          const isAuthorizing = now.status === "AUTHORIZING_MANUFACTURER"
          // A person who is signing in may come back and choose again: the status stays, and the pages follow the choice.
          const path = isAuthorizing ? [] : [...toSelection(now), ...(chosen.path ?? [])]
          return Effect.succeed({ ...chosen, ...withoutAccount, path })
        })
        if (left !== undefined) yield* dropAccount(left)
        return yield* goTo(token)
      })

      const consented = Effect.fnUntraced(function* (session: SessionRow, token: string, visitor: Visitor) {
        const language = chooseLanguage(visitor.language ?? session.language, visitor.languages)
        const at = new Date(yield* Clock.currentTimeMillis).toISOString()
        const after = yield* sessions.change(session.id, (now) => {
          const isAsked = now.manufacturer !== null && now.manufacturer === session.manufacturer && !hasConsent(now)
          const consent = { version: CONSENT_VERSION, language, manufacturer: now.manufacturer!, at }
          if (now.status === "SELECTING_MANUFACTURER" && now.manufacturer !== null) {
            return Effect.succeed({ consent, path: ["AUTHORIZING_MANUFACTURER"] })
          }
          return Effect.succeed(now.status === "AUTHORIZING_MANUFACTURER" && isAsked ? { consent } : undefined)
        })
        return yield* authorize(after, token, visitor)
      })

      const refuseConsent = Effect.fnUntraced(function* (session: SessionRow, token: string, visitor: Visitor) {
        const isAsked = session.manufacturer !== null && !hasConsent(session)
        const after =
          (session.status === "SELECTING_MANUFACTURER" && isAsked) ||
          (session.status === "AUTHORIZING_MANUFACTURER" && isAsked)
            ? yield* linking.fail(session, "consent_refused")
            : session
        return after.lastError?.code === "consent_refused"
          ? yield* leave(after, visitor, goTo(token))
          : yield* goTo(token)
      })

      type FormAuthorization = Exclude<Authorization<unknown>, { readonly kind: "oauth2" }>

      const link = Effect.fnUntraced(function* (
        session: SessionRow,
        visitor: Visitor,
        authorization: FormAuthorization,
        values: Form
      ) {
        const linkedBy = visitor.cookie === null ? null : sha256(visitor.cookie)
        if (authorization.kind === "form") {
          const connecting = guarded(authorization.connect(values))
          const linked = yield* namesHost(authorization.fields) ? attempts.run(connecting) : connecting
          return yield* linking.attach(session, linked, { linkedBy })
        }
        const { account, instructions } = yield* guarded(authorization.invite(values))
        const claim = {
          manufacturer: session.manufacturer!,
          externalId: account.externalId,
          holder: claimHolder(session)
        }
        yield* accounts.claim(claim, session.expiresAt)
        const sealed = yield* box.seal(instructionsPurpose(session.id), Redacted.make(JSON.stringify(instructions)))
        return yield* linking.attach(session, account, { linkedBy, sealedInstructions: sealed })
      })

      /** Errors that the person may correct are shown at the form; any other ends the attempt. */
      const isCorrectable = ({ failure }: AdapterError) =>
        ["misconfigured", "refused", "unreachable", "asleep", "pairing_required"].includes(failure)

      /** Whether the account that an adapter refuses as connected already is one of this workspace, which its pages may tell. */
      const isDuplicate = Effect.fnUntraced(function* (session: SessionRow, { connectedAs }: AdapterError) {
        if (connectedAs === null) return false
        const { manufacturer, workspaceId } = session
        const identity = { workspaceId, manufacturer: manufacturer!, externalId: connectedAs }
        return (yield* accounts.linkedElsewhere(identity))?.status === "connected"
      })

      const submitted = Effect.fnUntraced(function* (
        session: SessionRow,
        token: string,
        visitor: Visitor,
        authorization: FormAuthorization,
        { form, value }: Read<Form>,
        isOver: boolean
      ) {
        const again = (failure: FormFailure | null) =>
          show(views.form(session, visitor, authorization, { form, failure }))
        if (value === undefined) return yield* again(null)
        const isProbe = authorization.kind === "form" && namesHost(authorization.fields)
        if (isOver) return yield* again("too_many")
        if (isProbe && !(yield* attempts.count(session.id))) return yield* again("link_spent")
        const linked = yield* resultUnlessUnavailable(link(session, visitor, authorization, value))
        if (linked._tag === "Failure") {
          const error = linked.failure
          if (yield* isDuplicate(session, error)) {
            yield* linking.endAsDuplicate(session)
            return yield* goTo(token)
          }
          const isHidden = isProbe && isUnreached(error)
          if (isHidden || isCorrectable(error)) {
            // The one place with the precise reason: whoever reads the session does not learn it.
            yield* Effect.logWarning(
              `${session.manufacturer} could not be connected in session ${session.id}: ${error.failure}: ${error.message}`
            )
            return yield* again(isHidden ? "unreached" : { says: error.message })
          }
          yield* linking.failWith(session, error)
          return yield* goTo(token)
        }
        const attached = linked.success
        if (attached.accountId !== null && attached.status === "AUTHORIZING_MANUFACTURER") {
          yield* linking.discover(attached)
        }
        return yield* goTo(token)
      })

      const finishWith = Effect.fnUntraced(function* (
        session: SessionRow,
        token: string,
        visitor: Visitor,
        choice: { readonly manufacturerDeviceIds: ReadonlyArray<string>; readonly address: Form | null }
      ) {
        const found = session.discovered ?? []
        const taken = yield* linking.takenDevices(session, found)
        const usable = new Set(
          found
            .filter(
              ({ incompatible, manufacturerDeviceId }) => incompatible === null && !taken.has(manufacturerDeviceId)
            )
            .map(({ manufacturerDeviceId }) => manufacturerDeviceId)
        )
        const chosen = [...new Set(choice.manufacturerDeviceIds)].filter((id) => usable.has(id))
        const isAsked = yield* views.asksAddress(session)
        const read = isAsked ? readAddress(choice.address ?? {}) : undefined
        const again = (address: Read<unknown>["form"] | null) =>
          show(views.system(session, visitor, { chosen, address, problem: chosen.length === 0 ? "select_one" : null }))
        if (chosen.length === 0 || (read !== undefined && read.value === undefined)) {
          return yield* again(read?.form ?? null)
        }
        if (read === undefined) {
          // Another page has asked for the address.
          const place = isHosted(session) ? session.place : null
          return yield* finished(session, token, visitor, { manufacturerDeviceIds: chosen, place })
        }
        const located = yield* resultUnlessUnavailable(sites.locate(session.workspaceId, read.value!))
        if (located._tag === "Failure") {
          if (located.failure._tag !== "LOCATION_SERVICE_ERROR") {
            return yield* again({ ...read.form, problems: { streetOne: "invalid_address" } })
          }
          yield* linking.fail(session, "server_error", { keepAccount: true })
          return yield* goTo(token)
        }
        return yield* finished(session, token, visitor, { manufacturerDeviceIds: chosen, place: located.success })
      })

      const finished = Effect.fnUntraced(function* (
        session: SessionRow,
        token: string,
        visitor: Visitor,
        choice: Parameters<typeof linking.finish>[1]
      ) {
        const after = yield* linking.finish(session, choice)
        return after.status === "SUCCESS" ? yield* leaveUnlessMoreToRead(after, token, visitor) : yield* goTo(token)
      })

      /** The step that failed, once more. */
      const retried = Effect.fnUntraced(function* (session: SessionRow, token: string, visitor: Visitor) {
        const step = (now: SessionRow): Change["path"] & {} => {
          if (now.accountId !== null && now.discovered !== null) return ["ENTERING_SYSTEM_INFO"]
          return now.manufacturer !== null && hasConsent(now)
            ? ["AUTHORIZING_MANUFACTURER"]
            : ["SELECTING_MANUFACTURER"]
        }
        const after = yield* sessions.change(session.id, (now) =>
          Effect.succeed(now.status === "ERROR" ? { path: step(now) } : undefined)
        )
        if (after.status !== "AUTHORIZING_MANUFACTURER") return yield* goTo(token)
        if (after.accountId === null) return yield* authorize(after, token, visitor)
        yield* linking.discover(after)
        return yield* goTo(token)
      })

      return {
        open: Effect.fn("ConnectFlow.open")((token, visitor) =>
          withSession(token, visitor, (session) =>
            Effect.andThen(remember(session, visitor), presentSession(session, visitor))
          )
        ),
        submitCustomer: Effect.fn("ConnectFlow.submitCustomer")((token, visitor, form) =>
          withSession(
            token,
            visitor,
            Effect.fnUntraced(function* (session) {
              if (session.status !== "ENTERING_CUSTOMER_INFO") return yield* goTo(token)
              const { form: typed, value } = readCustomer(form, needsAddress(session))
              if (value === undefined) return yield* show(Effect.succeed(views.customer(session, visitor, typed)))
              const next = yield* selecting(session)
              yield* sessions.change(session.id, ({ status }) =>
                Effect.succeed(status === session.status ? { ...next, customerInfo: value } : undefined)
              )
              return yield* goTo(token)
            })
          )
        ),
        searchManufacturers: Effect.fn("ConnectFlow.searchManufacturers")((token, visitor, query) =>
          withSession(token, visitor, (session) => {
            const selects = ["SELECTING_MANUFACTURER", "AUTHORIZING_MANUFACTURER"].includes(session.status)
            return selects && session.manufacturer === null
              ? show(views.manufacturers(session, visitor, query))
              : presentSession(session, visitor)
          })
        ),
        chooseManufacturer: Effect.fn("ConnectFlow.chooseManufacturer")((token, visitor, slug) =>
          withSession(token, visitor, (session) => choose(session, token, slug))
        ),
        chooseAnother: Effect.fn("ConnectFlow.chooseAnother")((token, visitor) =>
          withSession(token, visitor, (session) => choose(session, token, null))
        ),
        consent: Effect.fn("ConnectFlow.consent")((token, visitor, granted) =>
          withSession(token, visitor, (session) =>
            granted ? consented(session, token, visitor) : refuseConsent(session, token, visitor)
          )
        ),
        submitForm: Effect.fn("ConnectFlow.submitForm")((token, visitor, values, isOver = false) =>
          withSession(
            token,
            visitor,
            Effect.fnUntraced(function* (session) {
              const authorization = (yield* findInstance(session))?.authorization
              const isAsked =
                session.status === "AUTHORIZING_MANUFACTURER" && session.accountId === null && hasConsent(session)
              if (!isAsked || authorization === undefined || authorization.kind === "oauth2") return yield* goTo(token)
              const read = readFields(authorization.fields, values)
              return yield* untilDone(submitted(session, token, visitor, authorization, read, isOver))
            })
          )
        ),
        callback: Effect.fn("ConnectFlow.callback")((visitor, parameters) => untilDone(returned(visitor, parameters))),
        chooseDevices: Effect.fn("ConnectFlow.chooseDevices")((token, visitor, choice) =>
          withSession(token, visitor, (session) =>
            session.status === "ENTERING_SYSTEM_INFO"
              ? untilDone(finishWith(session, token, visitor, choice))
              : goTo(token)
          )
        ),
        leave: Effect.fn("ConnectFlow.leave")((token, visitor) =>
          withSession(token, visitor, (session) =>
            session.status === "SUCCESS" ? leave(session, visitor, goTo(token)) : goTo(token)
          )
        ),
        retry: Effect.fn("ConnectFlow.retry")((token, visitor) =>
          withSession(token, visitor, (session) => untilDone(retried(session, token, visitor)))
        ),
        cancel: Effect.fn("ConnectFlow.cancel")((token, visitor) =>
          withSession(
            token,
            visitor,
            Effect.fnUntraced(function* (session) {
              if (isFinal(session.status)) return yield* goTo(token)
              const after = session.status === "ERROR" ? session : yield* linking.fail(session, "access_denied")
              return after.status === "ERROR" ? yield* leave(after, visitor, goTo(token)) : yield* goTo(token)
            })
          )
        )
      }
    })
  )
}
