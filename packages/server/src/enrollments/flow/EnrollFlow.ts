import { ServiceUnavailable } from "@edp/domain/errors/ApiErrors"
import { Clock, Context, Effect, Layer } from "effect"
import type { FormState } from "@edp/hosted-pages/scene/formState"
import { chooseLanguage } from "../../platform/pages/language.ts"
import { readCustomer } from "../../platform/pages/personForm.ts"
import type { Visitor } from "../../platform/pages/visitors.ts"
import { DatabaseUnavailable, resultUnlessUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import type { InstanceRow } from "../../programs/instanceRow.ts"
import { ProgramInstances } from "../../programs/ProgramInstances.ts"
import { Sites } from "../../sites/Sites.ts"
import { EmailConfirmations } from "../email/EmailConfirmations.ts"
import type { VisitedEnrollment } from "./EnrollPagesRepository.ts"
import type { EnrollView, FormFailure } from "@edp/hosted-pages/enroll/pageTypes"
import { EnrollViews } from "./EnrollViews.ts"
import { continuationToken, newFormToken } from "../pages/formToken.ts"
import { closure } from "../eligibility/openness.ts"
import { PublicEnrollments } from "./PublicEnrollments.ts"

/** Result of a request to the hosted enrollment page. */
export type EnrollResult =
  | { readonly kind: "view"; readonly view: EnrollView }
  /** On to the page of the enrollment with this token. */
  | { readonly kind: "enrollment"; readonly token: string }
  /** On to the connect session with this token. */
  | { readonly kind: "session"; readonly token: string }

/** A visitor whose browser has an id. */
export type KnownVisitor = Visitor & { readonly cookie: string }

/** A form as it was sent. */
export interface Application {
  readonly fields: Readonly<Record<string, string>>
  /** Proves that the form comes from the page. */
  readonly formToken: string
  readonly accepted: boolean
  /** Version of the terms that the visitor has read. */
  readonly termsVersion: number
}

const notLocated = new ServiceUnavailable({ message: "The address can't be located; try again" })

/** Days in which a person can go on with an enrollment. */
const CONTINUES_DAYS = 90
const DAY_MS = 86_400_000

/** The hosted enrollment. `kept` is the token of the enrollment that the browser has begun before; null for none. */
export class EnrollFlow extends Context.Service<
  EnrollFlow,
  {
    /** The program, or why it takes no enrollments. */
    readonly open: (
      pageSlug: string,
      visitor: Visitor,
      kept: string | null
    ) => Effect.Effect<EnrollResult, DatabaseUnavailable>
    readonly form: (pageSlug: string, visitor: KnownVisitor) => Effect.Effect<EnrollResult, DatabaseUnavailable>
    readonly submit: (
      pageSlug: string,
      visitor: KnownVisitor,
      application: Application,
      kept: string | null
    ) => Effect.Effect<EnrollResult, DatabaseUnavailable>
    /** The form as it was sent, which is not taken. */
    readonly refuse: (
      pageSlug: string,
      visitor: KnownVisitor,
      application: Application,
      failure: FormFailure
    ) => Effect.Effect<EnrollResult, DatabaseUnavailable>
    readonly enrollment: (
      pageSlug: string,
      visitor: Visitor,
      token: string
    ) => Effect.Effect<EnrollResult, DatabaseUnavailable>
    readonly connect: (
      pageSlug: string,
      visitor: Visitor,
      token: string
    ) => Effect.Effect<EnrollResult, ServiceUnavailable | DatabaseUnavailable>
    /** Has the mail sent again whose link confirms the e-mail address. */
    readonly sendAgain: (
      pageSlug: string,
      visitor: Visitor,
      token: string
    ) => Effect.Effect<EnrollResult, DatabaseUnavailable>
    /** The page of a link in a mail. Opening it changes nothing, since programs that look for malware open links, too. */
    readonly emailLink: (
      pageSlug: string,
      visitor: Visitor,
      link: string,
      kept: string | null
    ) => Effect.Effect<EnrollResult, DatabaseUnavailable>
    readonly confirmEmail: (
      pageSlug: string,
      visitor: Visitor,
      link: string,
      kept: string | null
    ) => Effect.Effect<EnrollResult, DatabaseUnavailable>
    /** Back from the connect session, whose address has no token. */
    readonly comeBack: (
      pageSlug: string,
      visitor: Visitor,
      kept: string | null
    ) => Effect.Effect<EnrollResult, DatabaseUnavailable>
  }
>()("@edp/server/EnrollFlow") {
  static readonly layer = Layer.effect(
    EnrollFlow,
    Effect.gen(function* () {
      const instances = yield* ProgramInstances
      const enrollments = yield* PublicEnrollments
      const sites = yield* Sites
      const views = yield* EnrollViews
      const confirmations = yield* EmailConfirmations
      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))

      const show = <E>(view: Effect.Effect<EnrollView, E>): Effect.Effect<EnrollResult, E> =>
        Effect.map(view, (each) => ({ kind: "view", view: each }))

      const withInstance = <E>(
        pageSlug: string,
        visitor: Visitor,
        use: (instance: InstanceRow, at: Date) => Effect.Effect<EnrollResult, E>
      ): Effect.Effect<EnrollResult, E | DatabaseUnavailable> =>
        Effect.flatMap(
          Effect.all([instances.byPageSlug(pageSlug), now]),
          ([instance, at]): Effect.Effect<EnrollResult, E> =>
            instance === undefined ? show(Effect.succeed(views.unknown(visitor))) : use(instance, at)
        )

      /** An instance that takes enrollments. */
      const withOpen = <E>(
        pageSlug: string,
        visitor: Visitor,
        use: (instance: InstanceRow, at: Date) => Effect.Effect<EnrollResult, E>
      ): Effect.Effect<EnrollResult, E | DatabaseUnavailable> =>
        withInstance(pageSlug, visitor, (instance, at): Effect.Effect<EnrollResult, E | DatabaseUnavailable> =>
          closure(instance, at) === undefined ? use(instance, at) : show(views.closed(instance, visitor, at))
        )

      const isOver = ({ createdAt }: VisitedEnrollment, at: Date) =>
        at.getTime() - createdAt.getTime() > CONTINUES_DAYS * DAY_MS

      /** An enrollment whose link still leads on. */
      const withEnrollment = <E>(
        pageSlug: string,
        visitor: Visitor,
        token: string,
        use: (enrollment: VisitedEnrollment, instance: InstanceRow, at: Date) => Effect.Effect<EnrollResult, E>
      ): Effect.Effect<EnrollResult, E | DatabaseUnavailable> =>
        withInstance(pageSlug, visitor, (instance, at) =>
          Effect.flatMap(
            enrollments.find(instance, token),
            (enrollment): Effect.Effect<EnrollResult, E | DatabaseUnavailable> => {
              if (enrollment === undefined) return show(Effect.succeed(views.unknown(visitor)))
              if (isOver(enrollment, at)) return show(views.expired(instance, visitor))
              return use(enrollment, instance, at)
            }
          )
        )

      /** The enrollment that the browser has begun, if its link still leads on. */
      const leadsOn = Effect.fnUntraced(function* (instance: InstanceRow, kept: string | null, at: Date) {
        const enrollment = kept === null ? undefined : yield* enrollments.find(instance, kept)
        return enrollment !== undefined && !isOver(enrollment, at)
      })

      interface Again {
        readonly form: FormState
        readonly accepted: boolean
        readonly needsAcceptance?: boolean
        readonly failure?: FormFailure
      }

      const showForm = (pageSlug: string, visitor: KnownVisitor, instance: InstanceRow, at: Date, again: Again) =>
        show(
          views.apply(instance, visitor, at, {
            needsAcceptance: false,
            failure: null,
            ...again,
            formToken: newFormToken(visitor.cookie, pageSlug)
          })
        )

      const submit = Effect.fnUntraced(function* (
        pageSlug: string,
        visitor: KnownVisitor,
        { accepted, fields, formToken, termsVersion }: Application,
        kept: string | null,
        instance: InstanceRow,
        at: Date
      ) {
        const again = (state: Again) => showForm(pageSlug, visitor, instance, at, state)
        const { form, value } = readCustomer(fields, true)
        const hasTerms = instance.programTerms !== ""
        if (hasTerms && termsVersion !== instance.termsVersion) {
          return yield* again({ form, accepted: false, failure: "terms_changed" })
        }
        const needsAcceptance = hasTerms && !accepted
        if (value === undefined || needsAcceptance) return yield* again({ form, accepted, needsAcceptance })
        const located = yield* resultUnlessUnavailable(sites.locate(instance.workspaceId, value.location!))
        if (located._tag === "Failure") {
          if (located.failure._tag === "LOCATION_SERVICE_ERROR") {
            return yield* again({ form, accepted, failure: "location_service" })
          }
          return yield* again({ form: { ...form, problems: { streetOne: "invalid_address" } }, accepted })
        }
        const token = continuationToken(visitor.cookie, formToken)
        const email = value.email!
        const language = chooseLanguage(visitor.language, visitor.languages)
        const applicant = { info: { ...value, email }, located: located.success, termsVersion, token, language }
        // A browser knows its own enrollment, so it is led there instead of enrolling twice.
        if (kept !== null && (yield* enrollments.isOwn(instance, kept, email))) {
          return { kind: "enrollment", token: kept } as const
        }
        return (yield* enrollments.apply(instance, applicant)) === "begun"
          ? ({ kind: "enrollment", token } as const)
          : yield* again({ form, accepted: false, failure: "terms_changed" })
      })

      const connect = Effect.fnUntraced(function* (
        pageSlug: string,
        visitor: Visitor,
        token: string,
        { address, status }: VisitedEnrollment,
        instance: InstanceRow
      ) {
        if (address === null || ["ineligible", "rejected", "unenrolled"].includes(status)) {
          return { kind: "enrollment", token } as const
        }
        const located = yield* Effect.mapError(sites.locate(instance.workspaceId, address), (error) =>
          DatabaseUnavailable.is(error) ? error : notLocated
        )
        const language = chooseLanguage(visitor.language, visitor.languages)
        return {
          kind: "session",
          token: yield* enrollments.connect(instance, pageSlug, token, located, language)
        } as const
      })

      return {
        open: Effect.fn("EnrollFlow.open")((pageSlug, visitor, kept) =>
          withOpen(
            pageSlug,
            visitor,
            Effect.fnUntraced(function* (instance, at) {
              return yield* show(views.program(instance, visitor, at, yield* leadsOn(instance, kept, at)))
            })
          )
        ),
        form: Effect.fn("EnrollFlow.form")((pageSlug, visitor) =>
          withOpen(pageSlug, visitor, (instance, at) =>
            showForm(pageSlug, visitor, instance, at, {
              form: { values: { country: "USA" }, problems: {} },
              accepted: false
            })
          )
        ),
        submit: Effect.fn("EnrollFlow.submit")((pageSlug, visitor, application, kept) =>
          withOpen(pageSlug, visitor, (instance, at) => submit(pageSlug, visitor, application, kept, instance, at))
        ),
        refuse: Effect.fn("EnrollFlow.refuse")((pageSlug, visitor, { accepted, fields }, failure) =>
          withOpen(pageSlug, visitor, (instance, at) => {
            const { form } = readCustomer(fields, true)
            return showForm(pageSlug, visitor, instance, at, { form: { ...form, problems: {} }, accepted, failure })
          })
        ),
        enrollment: Effect.fn("EnrollFlow.enrollment")((pageSlug, visitor, token) =>
          withEnrollment(pageSlug, visitor, token, (enrollment, instance, at) =>
            show(views.enrollment(instance, visitor, at, enrollment))
          )
        ),
        connect: Effect.fn("EnrollFlow.connect")((pageSlug, visitor, token) =>
          withEnrollment(pageSlug, visitor, token, (enrollment, instance) =>
            connect(pageSlug, visitor, token, enrollment, instance)
          )
        ),
        sendAgain: Effect.fn("EnrollFlow.sendAgain")((pageSlug, visitor, token) =>
          withEnrollment(pageSlug, visitor, token, ({ id }) =>
            Effect.as(confirmations.sendAgain(id), { kind: "enrollment", token } as const)
          )
        ),
        emailLink: Effect.fn("EnrollFlow.emailLink")((pageSlug, visitor, link, kept) =>
          withInstance(pageSlug, visitor, (instance) =>
            show(
              Effect.flatMap(confirmations.look(instance.id, link), (state) =>
                views.confirm(instance, visitor, state, kept !== null)
              )
            )
          )
        ),
        confirmEmail: Effect.fn("EnrollFlow.confirmEmail")((pageSlug, visitor, link, kept) =>
          withInstance(pageSlug, visitor, (instance) =>
            show(
              Effect.flatMap(confirmations.confirm(instance.id, link), (state) =>
                views.confirm(instance, visitor, state, kept !== null)
              )
            )
          )
        ),
        comeBack: Effect.fn("EnrollFlow.comeBack")((pageSlug, visitor, kept) =>
          withInstance(
            pageSlug,
            visitor,
            Effect.fnUntraced(function* (instance, at) {
              return kept !== null && (yield* leadsOn(instance, kept, at))
                ? ({ kind: "enrollment", token: kept } as const)
                : yield* show(views.returned(instance, visitor))
            })
          )
        )
      }
    })
  )
}
