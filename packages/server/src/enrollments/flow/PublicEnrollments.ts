import type { CustomerInfo } from "@edp/domain/connections/ConnectSession"
import type { Language } from "@edp/domain/shared/Language"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { HostedSessions } from "../../connections/sessions/HostedSessions.ts"
import { Customers } from "../../customers/Customers.ts"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { Ids } from "../../platform/Ids.ts"
import { addressKeys } from "../../platform/locations/normalizeAddress.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import type { InstanceRow } from "../../programs/instanceRow.ts"
import { ProgramInstances } from "../../programs/ProgramInstances.ts"
import type { LocatedAddress } from "../../sites/siteRow.ts"
import { joinedReasons } from "../eligibility/eligibility.ts"
import { EmailConfirmations } from "../email/EmailConfirmations.ts"
import { EnrollmentRecords } from "../EnrollmentRecords.ts"
import type { NewEnrollment } from "../enrollmentRow.ts"
import { EnrollmentsRepository } from "../EnrollmentsRepository.ts"
import { EnrollPagesRepository, type VisitedEnrollment } from "./EnrollPagesRepository.ts"
import { sessionToken, tokenHash } from "../pages/formToken.ts"
import { activation, closedReason } from "../eligibility/openness.ts"
import { type Condition, type Criteria, toCondition } from "@edp/domain/collections/criteria"
import { type DeviceType, deviceTypes } from "@edp/domain/devices/DeviceType"

type Values = ReadonlyArray<string> | null

const texts = (value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).filter((each): each is string => typeof each === "string")

/** The values that a record may have if it meets the condition; null if it does not name them all. */
const named = (condition: Condition, attribute: string): Values => {
  if ("all" in condition) {
    const given = condition.all.map((each) => named(each, attribute)).filter((each) => each !== null)
    const [first, ...rest] = given
    return first === undefined ? null : first.filter((value) => rest.every((each) => each.includes(value)))
  }
  if ("any" in condition) {
    const given = condition.any.map((each) => named(each, attribute))
    return given.includes(null) ? null : [...new Set(given.flatMap((each) => each!))]
  }
  if ("not" in condition || condition.attribute !== attribute) return null
  return condition.operator === "eq" || condition.operator === "in" ? texts(condition.value) : null
}

const isDeviceType = (text: string): text is DeviceType => (deviceTypes as ReadonlyArray<string>).includes(text)

/** The manufacturers and device types to which the criteria limit a person's choice; null for no limit. */
export const connectChoice = (eligibility: Criteria | null) => {
  const condition = eligibility === null ? undefined : toCondition(eligibility)
  const pick = (attribute: string) => {
    const values = condition === undefined ? null : named(condition, attribute)
    return values === null || values.length === 0 ? null : values
  }
  const types = pick("type")?.filter(isDeviceType) ?? null
  return { manufacturers: pick("manufacturer"), deviceTypes: types === null || types.length === 0 ? null : types }
}

/** A person's answers on the hosted page, each valid in itself. */
export interface Applicant {
  readonly info: CustomerInfo & { readonly email: string }
  readonly located: LocatedAddress
  /** The accepted version; ignored where there are no terms. */
  readonly termsVersion: number
  /** The token with which the person goes on. */
  readonly token: string
  /** The language of mails. */
  readonly language: Language
}

/** `changed`: the terms are others now, or no enrollment is taken any more. */
export type Outcome = "begun" | "changed"

const hasEnded = ({ status }: VisitedEnrollment) => ["rejected", "ineligible", "unenrolled"].includes(status)

/**
 * Enrollments by strangers. What a stranger types selects no existing customer: each enrollment has a customer of its own. The address
 * is judged by its address alone, and becomes the customer's with the first device that is connected there: whatever the workspace
 * knows of the address before then is neither used nor shown.
 */
export const PublicEnrollments = Effect.gen(function* () {
  const instances = yield* ProgramInstances
  const repository = yield* EnrollPagesRepository
  const enrollments = yield* EnrollmentsRepository
  const records = yield* EnrollmentRecords
  const customers = yield* Customers
  const confirmations = yield* EmailConfirmations
  const sessions = yield* HostedSessions
  const ids = yield* Ids
  const { publicUrl } = yield* ServerConfig
  const transaction = transactionsOn(yield* SqlClient.SqlClient)

  const find = ({ id }: InstanceRow, token: string) => repository.byToken(id, tokenHash(token))

  const enroll = Effect.fnUntraced(function* (
    instance: InstanceRow,
    { info, language, located, termsVersion, token }: Applicant
  ) {
    const { workspaceId } = instance
    const at = new Date(yield* Clock.currentTimeMillis)
    const id = yield* ids.next
    const { location: _, ...person } = info
    const customer = yield* Effect.orDie(
      customers.create({ workspaceId }, { ...person, referenceId: id, emailUnproven: true })
    )
    const { address } = located
    const unstored = { key: id, state: addressKeys(address).state, country: address.country }
    const enrolled = { key: id, customerId: null, siteId: null, manufacturerSlugs: null }
    const judged = yield* records.judge(workspaceId, instance, [enrolled], [unstored])
    const { reasons, status } = judged.get(id)!
    const isSubmitted = status === "eligible"
    const row: NewEnrollment = {
      id,
      workspaceId,
      programInstanceId: instance.id,
      identificationType: "customerInfo",
      customerId: customer.id,
      siteId: null,
      leadId: null,
      status: isSubmitted ? "submitted" : status,
      statusReason: joinedReasons(reasons),
      manufacturerSlugs: null,
      serialNumber: null,
      referenceId: null,
      referenceDescription: null,
      tags: [],
      metadata: null,
      address,
      acceptedTerms: instance.programTerms === "" ? null : { version: termsVersion, acceptedAt: at.toISOString() },
      submits: true,
      activatesAt: isSubmitted ? activation(instance, at) : null,
      submittedAt: isSubmitted ? at : null,
      approvedAt: null,
      rejectedAt: null,
      unenrolledAt: null,
      createdAt: at,
      updatedAt: at
    }
    yield* enrollments.insert([row])
    yield* repository.setToken(id, tokenHash(token))
    if (status !== "ineligible") yield* confirmations.begin({ id, workspaceId, email: info.email, language })
    yield* records.announce(workspaceId, yield* records.show(workspaceId, [row]))
  })

  return {
    /** The enrollment in the instance whose page has this token. */
    find,
    /**
     * A second application with the same token changes nothing. Whether the e-mail address takes part already is not looked up: a stranger
     * would learn it, or could keep its owner out.
     */
    apply: Effect.fn("PublicEnrollments.apply")((instance: InstanceRow, applicant: Applicant) =>
      Effect.gen(function* (): Effect.fn.Return<Outcome, DatabaseUnavailable> {
        const { workspaceId } = instance
        yield* repository.holdForm(tokenHash(applicant.token))
        const held = yield* Effect.orDie(instances.hold(workspaceId, instance.id))
        if ((yield* find(held, applicant.token)) !== undefined) return "begun"
        const isChanged = held.programTerms !== "" && held.termsVersion !== applicant.termsVersion
        const at = new Date(yield* Clock.currentTimeMillis)
        if (isChanged || closedReason(held, at) !== undefined) return "changed"
        yield* enroll(held, applicant)
        return "begun"
      }).pipe(transaction)
    ),
    /** Whether the token is that of an enrollment with this e-mail address that has not ended. */
    isOwn: Effect.fn("PublicEnrollments.isOwn")(function* (instance: InstanceRow, token: string, email: string) {
      const enrollment = yield* find(instance, token)
      if (enrollment === undefined || hasEnded(enrollment)) return false
      const [customer] = yield* customers.byIds(instance.workspaceId, [enrollment.customerId])
      return customer?.email?.toLowerCase() === email.toLowerCase()
    }),
    /** The token of the connect session in which the person goes on; an ended one is replaced. */
    connect: Effect.fn("PublicEnrollments.connect")(
      (instance: InstanceRow, pageSlug: string, token: string, located: LocatedAddress, language: Language | null) =>
        Effect.gen(function* () {
          const found = (yield* find(instance, token))!
          // The second of two clicks leads into the session of the first.
          const enrollment = (yield* repository.lock(found.id))!
          const { sessionId } = enrollment
          const known = sessionId === null ? undefined : yield* sessions.find(sessionId)
          if (known?.isOpen === true) return sessionToken(token, sessionId!)
          const id = yield* ids.next
          yield* sessions.begin({
            id,
            workspaceId: instance.workspaceId,
            createdById: enrollment.id,
            token: sessionToken(token, id),
            referenceId: enrollment.id,
            customerId: enrollment.customerId,
            place: located,
            ...connectChoice(instance.eligibility),
            language,
            returnUrl: `${publicUrl.replace(/\/+$/, "")}/enroll/${pageSlug}/back`
          })
          yield* repository.setSession(enrollment.id, id)
          return sessionToken(token, id)
        }).pipe(transaction)
    )
  }
})
