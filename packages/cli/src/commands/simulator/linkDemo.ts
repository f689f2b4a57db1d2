import { Clock, Effect } from "effect"
import { request } from "../../kernel/Connection.ts"
import { Output } from "../../kernel/Output.ts"
import { patiently } from "../../kernel/patience.ts"
import { linkTown } from "./linkTown.ts"

const PROGRAM = "simulated-evenings"
/** The home whose owner ends the permission. */
const ENDED_HOME = 2
const PAST_SECONDS = 21 * 86_400
const DISPATCH_SECONDS = 120
const DISPATCH_DELAY = 20_000

const program = {
  slug: PROGRAM,
  name: "Simulated Evenings",
  description: "Batteries of the simulated town deliver to the grid.",
  states: ["CA" as const],
  eligibility: { attribute: "type" as const, operator: "eq" as const, value: "battery" }
}

const instance = {
  slug: PROGRAM,
  programSlug: PROGRAM,
  title: "Simulated Evenings",
  description: "Your battery delivers to the grid on some evenings.",
  eligibilityCriteria: "Homes in California with a battery.",
  programTerms: "Up to 20 evenings a year, of at most 3 hours each."
}

const receiver = {
  destinationType: "WEBHOOK" as const,
  label: "A receiver that does not exist",
  url: "https://receiver.invalid/events",
  eventTypes: ["DEVICE_CONNECTED" as const, "ALERT_CREATED" as const]
}

/** Enrolls the owners who are not enrolled, and approves those whose homes have a battery. */
const enroll = Effect.fnUntraced(function* (id: string, homes: ReadonlyArray<string>) {
  const { data: customers } = yield* request("customers", "list", { query: { referenceId: homes, perPage: 100 } })
  const list = request("enrollments", "list", { params: { id }, query: { perPage: 100 } })
  const enrolled = new Set((yield* list).data.map(({ customerId }) => customerId))
  const enrollments = customers
    .filter((customer) => !enrolled.has(customer.id))
    .map((customer) => ({ identificationType: "customerId" as const, customerId: customer.id }))
  if (enrollments.length > 0)
    yield* patiently(request("enrollments", "createMany", { params: { id }, payload: { enrollments } }))
  const submitted = (yield* list).data.filter(({ status }) => status === "submitted")
  yield* Effect.forEach(submitted, (enrollment) =>
    patiently(request("enrollments", "approve", { params: { id: enrollment.id }, payload: {} }))
  )
})

const findInstance = Effect.fnUntraced(function* () {
  const { data } = yield* request("programInstances", "list", { query: { slug: [PROGRAM] } })
  if (data[0] !== undefined) return data[0]
  // Another workspace of the organization may have it.
  yield* request("programs", "create", { payload: program }).pipe(Effect.catchTag("DUPLICATE_NAME", () => Effect.void))
  return yield* request("programInstances", "create", { payload: instance })
})

const dispatchOnce = Effect.fnUntraced(function* (id: string) {
  const { data } = yield* request("dispatches", "list", { params: { id }, query: { perPage: 1 } })
  if (data[0] !== undefined) return data[0]
  const startsAt = new Date((yield* Clock.currentTimeMillis) + DISPATCH_DELAY).toISOString()
  const actions = { battery: { operatingMode: "discharge" as const, enableGridInteraction: true } }
  const payload = {
    name: "First call",
    intervals: [{ startsAt, durationSeconds: DISPATCH_SECONDS, actions }],
    nominatedPowerW: 10_000
  }
  return yield* request("dispatches", "create", { params: { id }, payload })
})

const failingReceiver = Effect.fnUntraced(function* () {
  const { data } = yield* request("destinations", "list", { query: { perPage: 100 } })
  if (data.some(({ label }) => label === receiver.label)) return
  yield* request("destinations", "create", { query: {}, payload: receiver })
})

const endPermission = Effect.fnUntraced(function* (id: string) {
  const { faults } = yield* request("simulator", "get", { params: { id } })
  if (faults.length > 0) return
  yield* request("simulator", "scriptFault", { params: { id }, payload: { kind: "token_revoked" } })
})

/** Links a town with a past, and gives it what an operator meets: a dispatch, an account to sign in again, and a destination that fails. */
export const linkDemo = Effect.fnUntraced(function* (seed: number) {
  const output = yield* Output
  yield* failingReceiver()
  const homes = yield* linkTown({ homes: 8, seed, past: PAST_SECONDS })
  const { id } = yield* findInstance()
  // The first home is left to its visitor's own commands.
  yield* enroll(id, homes.slice(1))
  const dispatch = yield* dispatchOnce(id)
  yield* endPermission(homes[ENDED_HOME]!)
  yield* output.note(`The dispatch ends at ${dispatch.endsAt}: edp dispatches report ${dispatch.id}`)
})
