import type { CurrentKey } from "@edp/domain/auth/Authentication"
import {
  CustomerNotConnectedToSite,
  CustomerNotFound,
  type InvalidLocation,
  InvalidState,
  type LocationServiceError,
  type NotFound,
  SiteNotFound,
  SiteNotInWorkspace,
  ValidationError,
  invalid
} from "@edp/domain/errors/ApiErrors"
import { bulkFailure, decodeItems } from "@edp/domain/errors/Bulk"
import {
  type CheckEligibility,
  CreateEnrollment,
  type CreateEnrollments,
  type Eligibility,
  type Enrollment,
  type EnrollmentsCreated
} from "@edp/domain/enrollments/Enrollment"
import { Clock, Context, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { IdentifiedCustomers } from "../../customers/IdentifiedCustomers.ts"
import { Ids } from "../../platform/Ids.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { ProgramInstances } from "../../programs/ProgramInstances.ts"
import type { InstanceRow } from "../../programs/instanceRow.ts"
import type { KeyedAddress, LocatedAddress } from "../../sites/siteRow.ts"
import { withoutKeys } from "../../sites/siteRow.ts"
import { SiteLocations } from "../../sites/SiteLocations.ts"
import { type Sifted, distinctItems, sift, unsifted } from "./admission.ts"
import { joinedReasons } from "../eligibility/eligibility.ts"
import { EnrollmentRecords } from "../EnrollmentRecords.ts"
import type { NewEnrollment } from "../enrollmentRow.ts"
import { EnrollmentsRepository } from "../EnrollmentsRepository.ts"
import { EnrollmentSitesRepository } from "../EnrollmentSitesRepository.ts"
import { type Person, identificationDetails, termsDetails, toAcceptedTerms, toPerson } from "./identification.ts"
import { activation, closedReason } from "../eligibility/openness.ts"

/** Enrollments are made for the workspace alone, also without an API key. */
type Caller = Pick<CurrentKey["Service"], "workspaceId">

type UnknownPerson = CustomerNotFound | SiteNotFound | SiteNotInWorkspace | CustomerNotConnectedToSite
export type PersonProblem = ValidationError | NotFound | UnknownPerson
export type Refusal = PersonProblem | InvalidState | InvalidLocation | LocationServiceError

/** An input whose fields are valid in themselves. */
interface Applicant {
  readonly input: CreateEnrollment
  readonly person: Person
  readonly address: KeyedAddress | undefined
}

/** An applicant who may be enrolled. */
interface Admitted extends Applicant {
  /** Undefined for a person who becomes a customer. */
  readonly customerId: string | undefined
  readonly isEnrolled: boolean
}

interface LocatedApplicant extends Applicant {
  readonly located: Omit<LocatedAddress, "address"> | undefined
}

const decode = decodeItems(CreateEnrollment)

const alreadyEnrolled = "The customer has an enrollment in this program instance already"

/** Errors of an address are named as fields of the body. */
const inLocation = ({ details }: ValidationError) =>
  Object.fromEntries(
    Object.entries(details).map(([name, text]) => [name.replace(/^address/u, "customerInfo.location"), text])
  )

/** Creates enrollments, one or many at once, and judges persons without storing anything. */
export class EnrollmentIntake extends Context.Service<
  EnrollmentIntake,
  {
    readonly create: (
      caller: Caller,
      programInstanceId: string,
      input: CreateEnrollment
    ) => Effect.Effect<Enrollment, Refusal | DatabaseUnavailable>
    /** An invalid item does not fail the others. */
    readonly createMany: (
      caller: Caller,
      programInstanceId: string,
      input: CreateEnrollments
    ) => Effect.Effect<EnrollmentsCreated, NotFound | DatabaseUnavailable>
    readonly check: (
      caller: Caller,
      programInstanceId: string,
      input: CheckEligibility
    ) => Effect.Effect<Eligibility, PersonProblem | DatabaseUnavailable>
  }
>()("@edp/server/EnrollmentIntake") {
  static readonly layer = Layer.effect(
    EnrollmentIntake,
    Effect.gen(function* () {
      const repository = yield* EnrollmentsRepository
      const enrollmentSites = yield* EnrollmentSitesRepository
      const records = yield* EnrollmentRecords
      const instances = yield* ProgramInstances
      const customers = yield* IdentifiedCustomers
      const siteLocations = yield* SiteLocations
      const ids = yield* Ids
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      /** Checks the fields of an input, which need no look-up. */
      const readApplicant = Effect.fnUntraced(function* (input: CreateEnrollment) {
        const location = input.customerInfo?.location
        const address = location === undefined ? undefined : yield* Effect.result(siteLocations.check(location))
        const details = {
          ...identificationDetails(input),
          ...(address !== undefined && Result.isFailure(address) && inLocation(address.failure))
        }
        if (Object.keys(details).length > 0) return yield* invalid(details)
        return { input, person: toPerson(input), address: address && Result.getOrThrow(address) }
      })

      const checkTerms =
        ({ termsVersion }: InstanceRow, now: number) =>
        <A extends Applicant>(applicant: A): Result.Result<A, ValidationError> => {
          const details = termsDetails(applicant.input.acceptedTerms, termsVersion, now)
          return Object.keys(details).length > 0 ? Result.fail(invalid(details)) : Result.succeed(applicant)
        }

      /** Finds out which persons are customers, and refuses those who don't fit the workspace's customers and sites. */
      const admit = Effect.fnUntraced(function* <A extends Applicant, E>(
        workspaceId: string,
        instanceId: string,
        sifted: Sifted<A, E>,
        findCustomers = customers.existing
      ) {
        const applicants = sifted.items.map(({ value }) => value)
        const emails = applicants.flatMap(({ person }) => (person.info ? [person.info.email] : []))
        const known = yield* customers.byEmails(workspaceId, emails)
        const found = ({ person }: Applicant) =>
          person.customerId ?? (person.info && known.get(person.info.email)?.id) ?? undefined
        const customerIds = applicants.flatMap((applicant) => found(applicant) ?? [])
        const siteIds = applicants.flatMap(({ person }) => person.siteId ?? [])
        const existing = yield* findCustomers(workspaceId, customerIds)
        const owners = yield* enrollmentSites.owners(siteIds)
        const links = yield* enrollmentSites.associated(customerIds, siteIds)
        const associated = new Set(links.map(({ customerId, siteId }) => `${customerId} ${siteId}`))
        const enrolled = yield* repository.enrolled(instanceId, customerIds)
        const admitted = sift(sifted, (applicant): Result.Result<A & Admitted, UnknownPerson> => {
          const customerId = found(applicant)
          const { siteId } = applicant.person
          if (customerId !== undefined && !existing.has(customerId)) return Result.fail(new CustomerNotFound({}))
          const owner = siteId === null ? workspaceId : owners.get(siteId)
          if (owner === undefined) return Result.fail(new SiteNotFound({}))
          if (owner !== workspaceId) return Result.fail(new SiteNotInWorkspace({}))
          if (siteId !== null && !associated.has(`${customerId} ${siteId}`)) {
            return Result.fail(new CustomerNotConnectedToSite({}))
          }
          return Result.succeed({ ...applicant, customerId, isEnrolled: enrolled.has(customerId ?? "") })
        })
        return { admitted, known }
      })

      const refuseEnrolled = <A extends Admitted>(sifted: Sifted<A, Refusal>) =>
        sift(sifted, (applicant) =>
          applicant.isEnrolled ? Result.fail(new InvalidState({ message: alreadyEnrolled })) : Result.succeed(applicant)
        )

      const refuseClosed = <A>(instance: InstanceRow, now: number, sifted: Sifted<A, Refusal>): Sifted<A, Refusal> => {
        const closed = closedReason(instance, new Date(now))
        return closed === undefined ? sifted : sift(sifted, () => Result.fail(new InvalidState({ message: closed })))
      }

      /** Applicants who would be refused anyway are refused before the geocoder is called, which may cost money. */
      const locate = Effect.fnUntraced(function* (
        workspaceId: string,
        instance: InstanceRow,
        sifted: Sifted<Applicant, Refusal>
      ) {
        const now = yield* Clock.currentTimeMillis
        const checked = sift(sifted, checkTerms(instance, now))
        const { admitted } = yield* admit(workspaceId, instance.id, checked)
        const left = refuseEnrolled(refuseClosed(instance, now, admitted))
        const found = yield* siteLocations.locate(
          workspaceId,
          left.items.flatMap(({ value }) => value.address ?? [])
        )
        return sift(left, ({ address, input, person }): Result.Result<LocatedApplicant, Refusal> => {
          if (address === undefined) return Result.succeed({ input, person, address, located: undefined })
          return Result.map(found.get(address.keys.hash)!, (one) => ({ input, person, address, located: one }))
        })
      })

      /** Creates the customers that are missing, and their sites. Returns the customer and the site of each. */
      const settle = Effect.fnUntraced(function* (
        workspaceId: string,
        applicants: ReadonlyArray<LocatedApplicant & Admitted>
      ) {
        const missing = applicants.filter(({ customerId }) => customerId === undefined)
        const created = yield* customers.create(
          workspaceId,
          missing.map(({ person }) => {
            const { location: _, ...fields } = person.info!
            return fields
          })
        )
        const newIds = new Map(missing.map((applicant, at) => [applicant, created[at]!]))
        const sites = yield* siteLocations.findOrCreate(
          workspaceId,
          applicants.flatMap(({ address, located: found }) =>
            address === undefined || found === undefined ? [] : [{ ...found, address }]
          )
        )
        const settled = applicants.map((applicant) => ({
          ...applicant,
          customerId: applicant.customerId ?? newIds.get(applicant)!,
          siteId: applicant.address === undefined ? applicant.person.siteId : sites.get(applicant.address.keys.hash)!
        }))
        yield* customers.link(
          workspaceId,
          settled.flatMap(({ address, customerId, siteId }) =>
            address === undefined || siteId === null ? [] : [{ customerId, siteId }]
          )
        )
        return settled
      })

      const store = Effect.fnUntraced(function* (
        workspaceId: string,
        instanceId: string,
        located: Sifted<LocatedApplicant, Refusal>
      ) {
        if (located.items.some(({ value }) => value.person.info !== undefined)) yield* customers.holdEmails(workspaceId)
        const instance = yield* instances.hold(workspaceId, instanceId)
        const now = yield* Clock.currentTimeMillis
        const checked = sift(located, checkTerms(instance, now))
        const { admitted, known } = yield* admit(workspaceId, instanceId, checked, customers.lock)
        const ready = distinctItems(
          refuseEnrolled(refuseClosed(instance, now, admitted)),
          ({ customerId, person }) => customerId ?? known.get(person.info!.email)!.key
        )
        const settled = yield* settle(
          workspaceId,
          ready.items.map(({ value }) => value)
        )
        const rows = settled.map((applicant) => ({ ...applicant, id: ids.nextAt(now) }))
        const judged = yield* records.judge(
          workspaceId,
          instance,
          rows.map(({ customerId, id, input, siteId }) => ({
            key: id,
            customerId,
            siteId,
            manufacturerSlugs: input.manufacturerSlugs ?? null
          }))
        )
        const stored = rows.map(({ address, customerId, id, input, siteId }): NewEnrollment => {
          const { reasons, status } = judged.get(id)!
          const { submit = true } = input
          const isSubmitted = status === "eligible" && submit
          const at = new Date(now)
          return {
            id,
            workspaceId,
            programInstanceId: instanceId,
            identificationType: input.identificationType,
            customerId,
            siteId,
            leadId: null,
            status: isSubmitted ? "submitted" : status,
            statusReason: joinedReasons(reasons),
            manufacturerSlugs: input.manufacturerSlugs ?? null,
            serialNumber: input.serialNumber ?? null,
            referenceId: input.referenceId ?? null,
            referenceDescription: input.referenceDescription ?? null,
            tags: [...new Set(input.tags ?? [])],
            metadata: input.metadata ?? null,
            address: address === undefined ? null : withoutKeys(address),
            acceptedTerms: toAcceptedTerms(input.acceptedTerms, now),
            submits: submit,
            activatesAt: isSubmitted ? activation(instance, at) : null,
            submittedAt: isSubmitted ? at : null,
            approvedAt: null,
            rejectedAt: null,
            unenrolledAt: null,
            createdAt: at,
            updatedAt: at
          }
        })
        if (stored.length > 0) yield* repository.insert(stored)
        const enrollments = stored.length === 0 ? [] : yield* records.show(workspaceId, stored)
        yield* records.announce(workspaceId, enrollments)
        return {
          items: ready.items.map(({ index }, at) => ({ index, value: enrollments[at]! })),
          failures: ready.failures
        } satisfies Sifted<Enrollment, Refusal>
      }, transaction)

      const take = Effect.fnUntraced(function* (
        { workspaceId }: Caller,
        instance: InstanceRow,
        inputs: ReadonlyArray<{ readonly index: number; readonly input: CreateEnrollment }>
      ) {
        const read = yield* Effect.forEach(inputs, ({ input }) => Effect.result(readApplicant(input)))
        const items = inputs.map(({ index }, at) => ({ index, value: read[at]! }))
        const sifted = sift(unsifted(items), (result) => result)
        const located = yield* locate(workspaceId, instance, sifted)
        if (located.items.length === 0) return { items: [], failures: located.failures }
        return yield* store(workspaceId, instance.id, located)
      })

      return {
        create: Effect.fn("EnrollmentIntake.create")(function* (caller, programInstanceId, input) {
          const instance = yield* instances.require(caller.workspaceId, programInstanceId)
          const { failures, items } = yield* take(caller, instance, [{ index: 0, input }])
          const [failure] = failures
          if (failure !== undefined) return yield* Effect.fail(failure.error)
          return items[0]!.value
        }),
        createMany: Effect.fn("EnrollmentIntake.createMany")(function* (caller, programInstanceId, { enrollments }) {
          const instance = yield* instances.require(caller.workspaceId, programInstanceId)
          const { decoded, failures: malformed } = decode(enrollments)
          const { failures, items } = yield* take(caller, instance, decoded)
          const created = items.map(({ index, value }) => ({
            index,
            status: "created" as const,
            enrollment: value
          }))
          const refused = failures.map(({ error, index }) => bulkFailure(index, error))
          return {
            created: created.length,
            failed: malformed.length + refused.length,
            results: [...malformed, ...refused, ...created].sort((one, other) => one.index - other.index)
          }
        }),
        check: Effect.fn("EnrollmentIntake.check")(function* ({ workspaceId }, programInstanceId, input) {
          const instance = yield* instances.require(workspaceId, programInstanceId)
          const applicant: Applicant = yield* readApplicant(input)
          const { admitted } = yield* admit(workspaceId, programInstanceId, unsifted([{ index: 0, value: applicant }]))
          const [failure] = admitted.failures
          if (failure !== undefined) return yield* Effect.fail(failure.error)
          const { address, customerId, isEnrolled } = admitted.items[0]!.value
          const known = address && (yield* siteLocations.find(workspaceId, [address])).get(address.keys.hash)
          const isUnstored = address !== undefined && known === undefined
          const unstored = isUnstored ? [{ key: "applicant", state: address.keys.state, country: address.country }] : []
          const enrolled = {
            key: "applicant",
            customerId: isUnstored ? null : (customerId ?? null),
            siteId: known ?? applicant.person.siteId,
            manufacturerSlugs: input.manufacturerSlugs ?? null
          }
          const judged = yield* records.judge(workspaceId, instance, [enrolled], unstored)
          const { reasons, status } = judged.get("applicant")!
          const closed = closedReason(instance, new Date(yield* Clock.currentTimeMillis))
          return {
            status,
            reasons: [
              ...reasons,
              ...(closed === undefined ? [] : [{ code: "takes_no_enrollments", message: closed } as const]),
              ...(isEnrolled ? [{ code: "already_enrolled", message: alreadyEnrolled } as const] : [])
            ]
          }
        })
      }
    })
  )
}
