import { publicName } from "@edp/domain/workspaces/Workspace"
import { Effect } from "effect"
import { HostedSessions } from "../../connections/sessions/HostedSessions.ts"
import { addressKeys } from "../../platform/locations/normalizeAddress.ts"
import { isUnitedStates, stateName } from "../../platform/locations/unitedStates.ts"
import type { FormState } from "@edp/hosted-pages/scene/formState"
import { chooseLanguage } from "../../platform/pages/language.ts"
import { type PageContext, plainContext } from "@edp/hosted-pages/scene/scene"
import type { Visitor } from "../../platform/pages/visitors.ts"
import type { InstanceRow } from "../../programs/instanceRow.ts"
import { EmailConfirmations } from "../email/EmailConfirmations.ts"
import { EnrollPagesRepository, type VisitedEnrollment } from "./EnrollPagesRepository.ts"
import type {
  Confirmation,
  EnrollView,
  FormFailure,
  IneligibleReason,
  ShownAction,
  ShownProgram
} from "@edp/hosted-pages/enroll/pageTypes"
import { closure, currentPeriod } from "../eligibility/openness.ts"

/** A form that is shown, perhaps again. */
export interface ShownForm {
  readonly form: FormState
  readonly accepted: boolean
  readonly needsAcceptance: boolean
  readonly failure: FormFailure | null
  readonly formToken: string
}

const toProgram = (instance: InstanceRow, at: Date): ShownProgram => ({
  title: instance.title,
  description: instance.description,
  eligibilityCriteria: instance.eligibilityCriteria,
  states: instance.states.map(stateName),
  period: currentPeriod(instance, at) ?? null,
  terms: instance.programTerms,
  termsVersion: instance.termsVersion
})

/** The state of the site, if the program does not take it. */
const unservedState = ({ states }: InstanceRow, { address }: VisitedEnrollment): string | undefined => {
  if (states.length === 0 || address === null) return undefined
  const { state } = addressKeys(address)
  const isHere = isUnitedStates(address.country)
  return isHere && states.includes(state) ? undefined : isHere ? stateName(state) : address.state
}

const STEPS = 3

/** The pages of the enrollment, made of an instance and an enrollment. */
export const EnrollViews = Effect.gen(function* () {
  const repository = yield* EnrollPagesRepository
  const sessions = yield* HostedSessions
  const confirmations = yield* EmailConfirmations

  const context = Effect.fnUntraced(function* ({ workspaceId }: InstanceRow, visitor: Visitor, step?: number) {
    const look = yield* repository.look(workspaceId)
    return {
      language: chooseLanguage(visitor.language, visitor.languages),
      colorScheme: null,
      clientName: look === undefined ? null : publicName(look.name),
      branding: { logoUrl: look?.logoUrl ?? null, accentColor: look?.accentColor ?? null },
      contact: { email: look?.email ?? null, phone: look?.phone ?? null, url: look?.url ?? null },
      progress: step === undefined ? null : { step, of: STEPS }
    } satisfies PageContext
  })

  const plain = (page: "expired" | "returned") => (instance: InstanceRow, visitor: Visitor) =>
    Effect.map(context(instance, visitor), (common): EnrollView => ({ ...common, page }))

  const ineligible = Effect.fnUntraced(function* (
    instance: InstanceRow,
    visitor: Visitor,
    at: Date,
    enrollment: VisitedEnrollment
  ) {
    const { customerId, statusReason, workspaceId } = enrollment
    const state = unservedState(instance, enrollment)
    // A reason may name devices at the site, which may belong to somebody else.
    const { others, own } = yield* repository.siteDevices(workspaceId, customerId)
    const sentences = own > 0 && others === 0 && statusReason !== null ? [statusReason] : []
    const reason: IneligibleReason =
      state === undefined ? { code: "criteria_not_met", sentences } : { code: "state_not_served", state }
    return {
      ...(yield* context(instance, visitor)),
      page: "ineligible" as const,
      program: toProgram(instance, at),
      reasons: [reason]
    }
  })

  return {
    unknown: ({ language, languages }: Visitor): EnrollView => ({
      ...plainContext(chooseLanguage(language, languages)),
      page: "unknown"
    }),
    closed: Effect.fnUntraced(function* (instance: InstanceRow, visitor: Visitor, at: Date) {
      const found = closure(instance, at)!
      return { ...(yield* context(instance, visitor)), page: "closed" as const, title: instance.title, ...found }
    }),
    program: Effect.fnUntraced(function* (instance: InstanceRow, visitor: Visitor, at: Date, hasBegun: boolean) {
      const common = yield* context(instance, visitor, 1)
      return { ...common, page: "program" as const, program: toProgram(instance, at), hasBegun }
    }),
    apply: Effect.fnUntraced(function* (instance: InstanceRow, visitor: Visitor, at: Date, form: ShownForm) {
      const common = yield* context(instance, visitor, 2)
      return { ...common, page: "apply" as const, program: toProgram(instance, at), ...form }
    }),
    expired: plain("expired"),
    returned: plain("returned"),
    confirm: Effect.fnUntraced(function* (
      instance: InstanceRow,
      visitor: Visitor,
      link: "open" | Confirmation,
      hasBegun: boolean
    ) {
      const common = yield* context(instance, visitor)
      return { ...common, page: "confirm" as const, title: instance.title, link, hasBegun }
    }),
    enrollment: Effect.fnUntraced(function* (
      instance: InstanceRow,
      visitor: Visitor,
      at: Date,
      enrollment: VisitedEnrollment
    ) {
      const { activatesAt, customerId, hasAccepted, sessionId, status, statusReason, workspaceId } = enrollment
      if (status === "ineligible") return yield* ineligible(instance, visitor, at, enrollment)
      const { own } = yield* repository.siteDevices(workspaceId, customerId)
      const session = sessionId === null ? undefined : yield* sessions.find(sessionId)
      const hasEnded = status === "rejected" || status === "unenrolled"
      const email = hasEnded ? undefined : yield* confirmations.state(enrollment.id)
      // With the approval the operator vouches for the address.
      const isConfirmed = email?.isConfirmed === true || status === "approved"
      // Only the visitor's own devices are named, not others at the same address.
      const obstacles = (session?.devices ?? []).flatMap(({ interventions, name }) =>
        (interventions ?? []).map(({ actor, code }) => ({ actor, code, name }))
      )
      const actions: ReadonlyArray<ShownAction> = [
        { code: "details", actor: "owner", done: true },
        ...(email === undefined ? [] : [{ code: "confirm_email", actor: "owner", done: isConfirmed } as const]),
        ...(hasAccepted ? [{ code: "terms", actor: "owner", done: true } as const] : []),
        { code: "connect_device", actor: "owner", done: own > 0 },
        ...obstacles.map(
          ({ actor, code, name }) =>
            ({ code: "intervention", intervention: code, deviceName: name, actor, done: false }) as const
        ),
        { code: "approve", actor: "operator", done: status === "approved" }
      ]
      return {
        ...(yield* context(instance, visitor, own > 0 || hasEnded ? undefined : 3)),
        page: "status" as const,
        program: toProgram(instance, at),
        status,
        reason: hasEnded ? statusReason : null,
        actions: hasEnded ? [] : actions,
        canConnect: !hasEnded,
        isDuplicate: session?.error === "duplicate_connection" && own === 0,
        activatesAt: activatesAt === null ? null : activatesAt.toISOString(),
        unconfirmedEmail: email === undefined || isConfirmed ? null : email.email
      }
    })
  }
})
