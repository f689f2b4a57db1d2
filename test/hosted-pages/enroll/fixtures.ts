import { interventionCodes } from "@edp/domain/devices/Intervention"
import type { EnrollView, FormFailure, ShownProgram } from "@edp/hosted-pages/enroll/pageTypes"
import type { PageContext } from "@edp/hosted-pages/scene/scene"

type Body<View = EnrollView> = View extends EnrollView ? Omit<View, keyof PageContext> : never

interface Fixture {
  readonly name: string
  readonly body: Body
  readonly context?: Partial<PageContext>
}

const program: ShownProgram = {
  title: "Evening Peak 2026",
  description: "Your battery helps on hot evenings.\n\nUp to 20 evenings a year, and you may opt out of each.",
  eligibilityCriteria: "Homes in California with a battery.",
  states: ["California", "Nevada"],
  period: { deadline: "2026-05-31T23:59:59.000Z", activatesAt: "2026-06-15T00:00:00.000Z" },
  terms: Array.from(
    { length: 30 },
    (_, index) => `${index + 1}. Up to 20 evenings a year, of at most 3 hours each.`
  ).join("\n"),
  termsVersion: 3
}
const plain: ShownProgram = {
  ...program,
  description: "",
  eligibilityCriteria: "",
  states: [],
  period: null,
  terms: ""
}

const empty = { values: { country: "USA" }, problems: {} }
const person = {
  values: { firstName: "Ada", lastName: "", email: "ada@", city: "Sacramento", country: "USA" },
  problems: { lastName: "required", email: "invalid_email", streetOne: "invalid_address", city: "too_long" }
} as const

const apply = {
  page: "apply",
  program,
  form: empty,
  accepted: false,
  needsAcceptance: false,
  failure: null,
  formToken: "nonce.signature"
} as const

const step = (step: number) => ({ progress: { step, of: 3 } })

export const failures: ReadonlyArray<FormFailure> = ["not_from_page", "terms_changed", "too_many", "location_service"]

const begun = [
  { code: "details", actor: "owner", done: true },
  { code: "terms", actor: "owner", done: true }
] as const

const status = {
  page: "status",
  program,
  status: "candidate",
  reason: null,
  actions: [
    ...begun,
    { code: "connect_device", actor: "owner", done: false },
    { code: "approve", actor: "operator", done: false }
  ],
  canConnect: true,
  isDuplicate: false,
  activatesAt: null,
  unconfirmedEmail: null
} as const

const connected = [...begun, { code: "connect_device", actor: "owner", done: true }] as const

/** Every page in every form that it has. */
export const fixtures: ReadonlyArray<Fixture> = [
  { name: "program", body: { page: "program", program, hasBegun: false }, context: step(1) },
  { name: "program-plain", body: { page: "program", program: plain, hasBegun: false }, context: step(1) },
  { name: "program-begun", body: { page: "program", program, hasBegun: true }, context: step(1) },
  { name: "apply", body: apply, context: step(2) },
  { name: "apply-plain", body: { ...apply, program: plain }, context: step(2) },
  { name: "apply-problems", body: { ...apply, form: person, needsAcceptance: true }, context: step(2) },
  ...failures.map((failure) => ({
    name: `apply-${failure.replaceAll("_", "-")}`,
    body: { ...apply, accepted: true, failure },
    context: step(2)
  })),
  ...(["inactive", "archived", "program_inactive"] as const).map((closed) => ({
    name: `closed-${closed.replaceAll("_", "-")}`,
    body: { page: "closed" as const, title: program.title, closed, at: null }
  })),
  ...(["not_begun", "ended", "deadline_passed"] as const).map((closed) => ({
    name: `closed-${closed.replaceAll("_", "-")}`,
    body: { page: "closed" as const, title: program.title, closed, at: "2026-05-31T23:59:59.000Z" }
  })),
  {
    name: "ineligible-state",
    body: { page: "ineligible", program, reasons: [{ code: "state_not_served", state: "Oregon" }] }
  },
  {
    name: "ineligible-devices",
    body: {
      page: "ineligible",
      program,
      reasons: [
        {
          code: "criteria_not_met",
          sentences: ["The battery's capacity is 5,000 Wh; the program takes at least 10,000 Wh"]
        }
      ]
    }
  },
  { name: "status-connect", body: status, context: step(3) },
  { name: "status-duplicate", body: { ...status, isDuplicate: true }, context: step(3) },
  {
    name: "status-checking",
    body: { ...status, actions: [...connected, { code: "approve", actor: "operator", done: false }] }
  },
  {
    name: "status-submitted",
    body: {
      ...status,
      status: "submitted",
      activatesAt: "2026-06-15T00:00:00.000Z",
      actions: [
        ...connected,
        ...interventionCodes.map((intervention, index) => ({
          code: "intervention" as const,
          intervention,
          deviceName: "Car",
          actor: (["owner", "installer", "operator", "manufacturer"] as const)[index % 4]!,
          done: false as const
        })),
        { code: "approve", actor: "operator", done: false }
      ]
    }
  },
  {
    name: "status-waiting",
    body: {
      ...status,
      status: "submitted",
      actions: [...connected, { code: "approve", actor: "operator", done: false }]
    }
  },
  {
    name: "status-approved",
    body: { ...status, status: "approved", actions: [...connected, { code: "approve", actor: "operator", done: true }] }
  },
  {
    name: "status-rejected",
    body: { ...status, status: "rejected", reason: "The home is rented", actions: [], canConnect: false }
  },
  { name: "status-unenrolled", body: { ...status, status: "unenrolled", actions: [], canConnect: false } },
  {
    name: "status-unconfirmed",
    body: {
      ...status,
      status: "submitted",
      unconfirmedEmail: "ada.okafor@example.com",
      actions: [
        ...connected,
        { code: "confirm_email", actor: "owner", done: false },
        { code: "approve", actor: "operator", done: false }
      ]
    }
  },
  ...(["open", "confirmed", "already", "expired", "unknown"] as const).map((link) => ({
    name: `confirm-${link}`,
    body: { page: "confirm" as const, title: program.title, link, hasBegun: link === "confirmed" }
  })),
  { name: "returned", body: { page: "returned" } },
  { name: "expired", body: { page: "expired" } },
  { name: "unknown", body: { page: "unknown" }, context: { clientName: null } }
]

export const branded: Partial<PageContext> = {
  branding: { logoUrl: "https://acme.example/logo.svg", accentColor: "#ffb400" },
  contact: { email: "help@acme.example", phone: "+1 (916) 555-0142", url: "https://acme.example/help?from=<app>" }
}

/** The view of a fixture. */
export const fixtureView = (name: string, context: Partial<PageContext> = {}): EnrollView => {
  const fixture = fixtures.find((each) => each.name === name)!
  return {
    language: "en",
    colorScheme: null,
    clientName: "Acme Energy",
    branding: { logoUrl: null, accentColor: null },
    contact: { email: null, phone: null, url: null },
    progress: null,
    ...fixture.context,
    ...fixture.body,
    ...context
  } as EnrollView
}
