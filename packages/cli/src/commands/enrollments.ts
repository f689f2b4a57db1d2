import { type Enrollment, type RequiredAction, enrollmentStatuses } from "@edp/domain/enrollments/Enrollment"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { enrollmentsImport } from "../import/enrollmentsImport.ts"
import { importIntoInstance } from "../import/importCommand.ts"
import { usage } from "../kernel/CliFailure.ts"
import { request } from "../kernel/Connection.ts"
import { Output, showRecord } from "../kernel/Output.ts"
import { parseAddress } from "../kernel/address.ts"
import { customerId, findInstance, siteId } from "../kernel/find.ts"
import { json, parseObject, several, text, choices, yes } from "../kernel/flags.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import { type Column, renderCsvRecord, renderRecord } from "../kernel/table.ts"
import { confirmDeletion, verb } from "../kernel/verb.ts"

const openActions = (actions: ReadonlyArray<RequiredAction>) => actions.filter(({ done }) => !done)

const enrollmentColumns: ReadonlyArray<Column<Enrollment>> = [
  { title: "ID", value: ({ id }) => id, whole: true },
  { title: "STATUS", value: ({ status }) => status, whole: true },
  { title: "CUSTOMER", value: ({ customerId }) => customerId, whole: true },
  { title: "SITE", value: ({ siteId }) => siteId, whole: true, wide: true },
  { title: "REFERENCE", value: ({ referenceId }) => referenceId },
  { title: "TO DO", value: ({ requiredActions }) => openActions(requiredActions).map(({ code }) => code) },
  { title: "REASON", value: ({ statusReason }) => statusReason },
  { title: "TAGS", value: ({ tags }) => tags, wide: true },
  { title: "ACTIVE FROM", value: ({ activatesAt }) => activatesAt, time: true, wide: true },
  { title: "CREATED", value: ({ createdAt }) => createdAt, time: true, wide: true }
]

const formatAction = ({ actor, done, title }: RequiredAction) => `${done ? "done" : "open"}: ${title} (${actor})`

const enrollmentFields = (enrollment: Enrollment) =>
  [
    ["id", enrollment.id],
    ["instance", enrollment.programInstanceId],
    ["status", enrollment.status],
    ["reason", enrollment.statusReason],
    ["customer", enrollment.customerId],
    ["site", enrollment.siteId ?? "all sites of the customer"],
    ...(enrollment.leadId === undefined ? [] : [["lead", enrollment.leadId] as const]),
    ["manufacturers", enrollment.manufacturerSlugs ?? "all"],
    ["serial number", enrollment.serialNumber],
    ["reference", enrollment.referenceId],
    ["description", enrollment.referenceDescription],
    ["tags", enrollment.tags],
    ["metadata", enrollment.metadata],
    [
      "terms",
      enrollment.acceptedTerms &&
        `version ${enrollment.acceptedTerms.version}, accepted ${enrollment.acceptedTerms.acceptedAt}`
    ],
    ...enrollment.requiredActions.map((action, index) => [`action ${index}`, formatAction(action)] as const),
    ["active from", enrollment.activatesAt],
    ["submitted", enrollment.submittedAt],
    ["approved", enrollment.approvedAt],
    ["rejected", enrollment.rejectedAt],
    ["unenrolled", enrollment.unenrolledAt],
    ["created", enrollment.createdAt],
    ["updated", enrollment.updatedAt]
  ] as const

const id = Argument.String("id").pipe(Argument.withDescription("Id of the enrollment"))
const instance = Flag.String("instance").pipe(Flag.withDescription("Program instance, by id or slug"))

const personFlags = {
  customer: text("customer", "Customer, by id or referenceId"),
  email: text("email", "E-mail address of a person; a customer who has it is taken, otherwise one is created"),
  firstName: text("first-name", "Given name, with --email"),
  lastName: text("last-name", "Family name, with --email"),
  phone: text("phone", "Telephone number, with --email"),
  address: text("address", 'Address of the site, with --email: "street, city, ST zip"'),
  site: text("site", "Site, by id, referenceId or name; default: all sites of the customer"),
  manufacturerSlugs: several("manufacturer", "Slug of a manufacturer whose devices take part; default: all")
}

type PersonFlags = Command.Command.Config.Infer<typeof personFlags>

const WHO = "Pass either --customer, or --email with --first-name and --last-name"

const personFrom = Effect.fnUntraced(function* (flags: PersonFlags) {
  const { address, customer, email, firstName, lastName, manufacturerSlugs, phone, site } = flags
  const where = {
    ...(Option.isSome(site) && { siteId: yield* siteId(site.value) }),
    ...given({ manufacturerSlugs })
  }
  const info = given({ firstName, lastName, email, phone })
  if (Option.isSome(customer)) {
    if (Object.keys(info).length > 0 || Option.isSome(address)) return yield* usage(WHO)
    return { identificationType: "customerId", customerId: yield* customerId(customer.value), ...where } as const
  }
  const location = Option.map(address, parseAddress)
  if (Option.isSome(location) && Option.isNone(location.value)) {
    return yield* usage('--address takes "street, city, ST zip", such as "1 Capitol Mall, Sacramento, CA 95814"')
  }
  const { email: mail, firstName: first, lastName: last } = info
  if (mail === undefined || first === undefined || last === undefined) return yield* usage(WHO)
  const customerInfo = {
    ...info,
    email: mail,
    firstName: first,
    lastName: last,
    ...given({ location: Option.flatten(location) })
  }
  return { identificationType: "customerInfo", customerInfo, ...where } as const
})

const list = verb(
  "enrollments list",
  "List the enrollments of a program instance, newest first",
  {
    ...pagingFlags,
    instance,
    status: choices("status", enrollmentStatuses),
    customer: several("customer", "Customer, by id or referenceId"),
    siteId: several("site", "Site id"),
    referenceId: several("reference-id", "Reference in your system"),
    tag: several("tag", "Tag")
  },
  Effect.fnUntraced(function* ({ customer, instance, ...flags }) {
    const { id } = yield* findInstance(instance)
    const customers = yield* Effect.forEach(customer, customerId)
    yield* showList(flags, "enrollments", enrollmentColumns, (query) =>
      request("enrollments", "list", { params: { id }, query: { ...query, ...given({ customerId: customers }) } })
    )
  }),
  ["edp enrollments list --instance evening-peak-2026 --status submitted"]
)

const show = verb(
  "enrollments show",
  "Show an enrollment with its required actions",
  { id },
  Effect.fnUntraced(function* ({ id }) {
    yield* showRecord(request("enrollments", "get", { params: { id } }), enrollmentFields)
  })
)

const create = verb(
  "enrollments create",
  "Enroll a customer in a program instance",
  {
    instance,
    ...personFlags,
    serialNumber: text("serial-number", "Serial number of a device"),
    referenceId: text("reference-id", "Reference in your system"),
    referenceDescription: text("description", "Description of the reference"),
    tags: several("tag", "Tag").pipe(Flag.withMetavar("tag")),
    metadata: json("metadata", "Free-form data").pipe(Flag.optional),
    terms: Flag.Int("terms-version").pipe(
      Flag.withDescription("Version of the terms that the person has accepted"),
      Flag.optional
    ),
    draft: Flag.Boolean("no-submit").pipe(Flag.withDescription("Do not submit it yet"), Flag.withDefault(false))
  },
  Effect.fnUntraced(function* (flags) {
    const { draft, instance, metadata, referenceDescription, referenceId, serialNumber, tags, terms, ...who } = flags
    const payload = {
      ...(yield* personFrom(who)),
      ...given({ serialNumber, referenceId, referenceDescription, tags }),
      ...(Option.isSome(metadata) && { metadata: yield* parseObject("metadata", metadata.value) }),
      ...(Option.isSome(terms) && { acceptedTerms: { version: terms.value } }),
      ...(draft && { submit: false })
    }
    const { id } = yield* findInstance(instance)
    yield* showRecord(request("enrollments", "create", { params: { id }, payload }), enrollmentFields)
  }),
  [
    "edp enrollments create --instance evening-peak-2026 --customer user-1 --terms-version 1",
    'edp enrollments create --instance evening-peak-2026 --email ada@example.com --first-name Ada --last-name Okafor --address "1 Capitol Mall, Sacramento, CA 95814"'
  ]
)

const check = verb(
  "enrollments check",
  "Check whether a person can be enrolled; nothing is stored",
  { instance, ...personFlags },
  Effect.fnUntraced(function* ({ instance, ...who }) {
    const payload = yield* personFrom(who)
    const { id } = yield* findInstance(instance)
    const eligibility = yield* request("enrollments", "checkEligibility", { params: { id }, payload })
    const fields = [
      ["status", eligibility.status] as const,
      ...eligibility.reasons.map(({ code, message }) => [code, message] as const)
    ]
    yield* (yield* Output).show(
      eligibility,
      () => renderRecord(fields),
      () => renderCsvRecord(fields)
    )
  }),
  ["edp enrollments check --instance evening-peak-2026 --customer user-1"]
)

const reason = text("reason", "Reason, shown to users")

const submit = verb(
  "enrollments submit",
  "Submit an enrollment for a decision",
  {
    id,
    reason,
    terms: Flag.Int("terms-version").pipe(
      Flag.withDescription("Version of the terms that the person has accepted meanwhile"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ id, reason, terms }) {
    const payload = {
      ...given({ reason }),
      ...(Option.isSome(terms) && { acceptedTerms: { version: terms.value } })
    }
    yield* showRecord(request("enrollments", "submit", { params: { id }, payload }), enrollmentFields)
  })
)

const transition = <const Verb extends "approve" | "reject" | "unenroll">(
  name: Verb,
  description: string,
  examples: ReadonlyArray<string> = []
) =>
  verb(
    `enrollments ${name}`,
    description,
    { id, reason },
    Effect.fnUntraced(function* ({ id, reason }) {
      const call = { params: { id }, payload: given({ reason }) }
      yield* showRecord(request("enrollments", name as "approve", call), enrollmentFields)
    }),
    examples
  )

const remove = verb(
  "enrollments delete",
  "Delete an enrollment that is not approved",
  { id, yes },
  Effect.fnUntraced(function* ({ id, yes }) {
    const { customerId, status } = yield* request("enrollments", "get", { params: { id } })
    yield* confirmDeletion({
      id,
      yes,
      question: `Delete the ${status} enrollment of the customer ${customerId}?`,
      call: request("enrollments", "remove", { params: { id } }),
      done: "The enrollment is deleted."
    })
  })
)

const importEnrollments = importIntoInstance(enrollmentsImport, [
  "edp enrollments import enrollments.csv --instance evening-peak-2026 --dry-run",
  "edp enrollments import enrollments.csv --instance evening-peak-2026"
])

export const enrollments = Command.make("enrollments").pipe(
  Command.withDescription("Participation of customers in program instances"),
  Command.withSubcommands([
    list,
    show,
    create,
    check,
    submit,
    transition("approve", "Approve a submitted enrollment"),
    transition("reject", "Reject a submitted enrollment", [
      'edp enrollments reject cm0xz5q1w2e3r4t5y6u7i8o9p --reason "No interconnection agreement"'
    ]),
    transition("unenroll", "End an approved enrollment"),
    remove,
    importEnrollments
  ])
)
