import type { Device } from "@edp/domain/devices/Device"
import type { Eligibility, Enrollment, RequiredAction } from "@edp/domain/enrollments/Enrollment"
import { Context, Effect, Layer } from "effect"
import { Customers } from "../customers/Customers.ts"
import { Devices } from "../devices/Devices.ts"
import { isUnitedStates } from "../platform/locations/unitedStates.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { type Conditions, type JudgedSite, judge } from "./eligibility/eligibility.ts"
import { type EnrollmentRow, toEnrollment } from "./enrollmentRow.ts"
import { type Enrolled, type EnrollmentSiteRow, EnrollmentSitesRepository } from "./EnrollmentSitesRepository.ts"
import type { Intervention } from "@edp/domain/devices/Intervention"

/** The facts from which the actions of an enrollment follow. */
export interface EnrollmentFacts {
  readonly status: Enrollment["status"]
  readonly hasAddress: boolean
  readonly hasDevice: boolean
  /** Whether the program instance has terms. */
  readonly hasTerms: boolean
  readonly hasAccepted: boolean
  readonly interventions: ReadonlyArray<Intervention>
}

const ended: ReadonlySet<Enrollment["status"]> = new Set(["ineligible", "rejected", "unenrolled"])

/** Maximum number of actions that obstacles of devices make. */
const MOST = 90

/** Obstacles of several devices that one act removes are one action. */
const removals = (interventions: ReadonlyArray<Intervention>): ReadonlyArray<RequiredAction> => {
  const actions = interventions.map(({ actor, code, title }) => ({ code, title, actor, done: false }))
  return [...new Map(actions.map((action) => [JSON.stringify(action), action])).values()].slice(0, MOST)
}

/** The actions that an enrollment needs, done ones included; none once it has ended. */
const requiredActions = (facts: EnrollmentFacts): ReadonlyArray<RequiredAction> => {
  const { hasAccepted, hasDevice, hasAddress, hasTerms, interventions, status } = facts
  if (ended.has(status)) return []
  const isSubmitted = status === "submitted" || status === "approved"
  return [
    { code: "give_address", title: "Give the address of the site", actor: "owner", done: hasAddress },
    { code: "connect_device", title: "Connect a device at the site", actor: "owner", done: hasDevice },
    ...removals(interventions),
    ...(hasTerms
      ? [
          {
            code: "accept_terms",
            title: "Accept the terms of the program",
            actor: "owner",
            done: hasAccepted
          } as const
        ]
      : []),
    { code: "submit", title: "Submit the enrollment", actor: "operator", done: isSubmitted },
    { code: "approve", title: "Approve the enrollment", actor: "operator", done: status === "approved" }
  ]
}

/** The event of each status that has one. */
const events = {
  submitted: "ENROLLMENT_SUBMITTED",
  approved: "ENROLLMENT_APPROVED",
  rejected: "ENROLLMENT_REJECTED"
} as const

const hasEvent = (status: Enrollment["status"]): status is keyof typeof events => Object.hasOwn(events, status)

/** The sites of an enrollment that is stored. */
export const toEnrolled = ({ customerId, id, manufacturerSlugs, siteId }: EnrollmentRow): Enrolled => ({
  key: id,
  customerId,
  siteId,
  manufacturerSlugs
})

/** An address of a person that no site of the workspace has yet. */
export interface UnstoredSite {
  readonly key: string
  readonly state: string
  readonly country: string
}

const needsDevices = ({ eligibility }: Conditions) => eligibility !== null && Object.keys(eligibility).length > 0

const byKey = <A extends { readonly key: string }>(rows: ReadonlyArray<A>): ReadonlyMap<string, ReadonlyArray<A>> =>
  Map.groupBy(rows, ({ key }) => key)

/** Enrollments as they are shown, judged and announced, in sets. */
export class EnrollmentRecords extends Context.Service<
  EnrollmentRecords,
  {
    /** The enrollments of one workspace with their required actions. */
    readonly show: (
      workspaceId: string,
      rows: ReadonlyArray<EnrollmentRow>
    ) => Effect.Effect<ReadonlyArray<Enrollment>, DatabaseUnavailable>
    /** The eligibility of persons for one program, by their keys. */
    readonly judge: (
      workspaceId: string,
      conditions: Conditions,
      enrolled: ReadonlyArray<Enrolled>,
      unstored?: ReadonlyArray<UnstoredSite>
    ) => Effect.Effect<ReadonlyMap<string, Eligibility>, DatabaseUnavailable>
    /** Publishes the transitions to the statuses that the enrollments have, in the transaction of the transitions. */
    readonly announce: (
      workspaceId: string,
      enrollments: ReadonlyArray<Enrollment>
    ) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/EnrollmentRecords") {
  static readonly layer = Layer.effect(
    EnrollmentRecords,
    Effect.gen(function* () {
      const repository = yield* EnrollmentSitesRepository
      const devices = yield* Devices
      const customers = yield* Customers
      const outbox = yield* EventOutbox

      const loadDevices = Effect.fnUntraced(function* (
        conditions: Conditions,
        sites: ReadonlyArray<EnrollmentSiteRow>
      ) {
        const ids = needsDevices(conditions) ? [...new Set(sites.flatMap(({ deviceIds }) => deviceIds))] : []
        const found = ids.length === 0 ? [] : yield* devices.load(ids)
        return new Map(found.map((device) => [device.id, device]))
      })

      const toJudgedSite = (
        { country, deviceIds, state }: EnrollmentSiteRow,
        found: ReadonlyMap<string, Device>
      ): JudgedSite => ({
        state,
        inUnitedStates: isUnitedStates(country),
        devices: deviceIds.flatMap((id) => found.get(id) ?? [])
      })

      return {
        show: Effect.fn("EnrollmentRecords.show")(function* (workspaceId, rows) {
          const sites = byKey(yield* repository.sites(workspaceId, rows.map(toEnrolled)))
          const withTerms = yield* repository.withTerms([...new Set(rows.map((row) => row.programInstanceId))])
          return rows.map((row) => {
            const own = sites.get(row.id) ?? []
            const actions = requiredActions({
              status: row.status,
              hasAddress: own.length > 0 || row.address !== null,
              hasDevice: own.some(({ deviceIds }) => deviceIds.length > 0),
              hasTerms: withTerms.has(row.programInstanceId),
              hasAccepted: row.acceptedTerms !== null,
              interventions: own.flatMap(({ interventions }) => interventions.flat())
            })
            return toEnrollment(row, actions)
          })
        }),
        judge: Effect.fn("EnrollmentRecords.judge")(function* (workspaceId, conditions, enrolled, unstored = []) {
          const rows = yield* repository.sites(workspaceId, enrolled)
          const found = yield* loadDevices(conditions, rows)
          const sites = byKey([...rows, ...unstored.map((site) => ({ ...site, deviceIds: [], interventions: [] }))])
          return new Map(
            enrolled.map(({ key }) => [
              key,
              judge(
                conditions,
                (sites.get(key) ?? []).map((site) => toJudgedSite(site, found))
              )
            ])
          )
        }),
        announce: Effect.fn("EnrollmentRecords.announce")(function* (workspaceId, enrollments) {
          const announced = enrollments.flatMap((enrollment) =>
            hasEvent(enrollment.status) ? [{ type: events[enrollment.status], enrollment }] : []
          )
          if (announced.length === 0) return
          const ids = [...new Set(announced.map(({ enrollment }) => enrollment.customerId))]
          const found = new Map((yield* customers.byIds(workspaceId, ids)).map((customer) => [customer.id, customer]))
          yield* outbox.publish(
            announced.map(({ enrollment, type }) => ({
              type,
              workspaceId,
              data: { enrollment, customer: found.get(enrollment.customerId) ?? null }
            }))
          )
        })
      }
    })
  )
}
