import { Schema } from "effect"
import { DeviceType, deviceTypes } from "../devices/DeviceType.ts"
import { Intervention } from "../devices/Intervention.ts"
import { Cuid, CuidInput, Slug, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { languages } from "../shared/Language.ts"
import { Several, SeveralReferences, paging } from "../shared/Page.ts"
import { oneOf } from "../shared/quantities.ts"
import { Email, JsonValue, StoredText, TAGS_LIMIT, Tags, Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import { type ConnectError, connectErrors } from "./ConnectError.ts"
import { redirectUrlProblem } from "./redirectUrl.ts"

const orNull = Schema.NullOr
const optional = Schema.optionalKey

export const connectSessionStatuses = [
  "PENDING",
  "STARTED",
  "ENTERING_CUSTOMER_INFO",
  "SELECTING_MANUFACTURER",
  "AUTHORIZING_MANUFACTURER",
  "ENTERING_SYSTEM_INFO",
  "UNSUPPORTED_MANUFACTURER",
  "DUPLICATE_CONNECTION",
  "SUCCESS",
  "ERROR",
  "EXPIRED"
] as const
export type ConnectSessionStatus = (typeof connectSessionStatuses)[number]

export const ConnectSessionStatus = oneOf(
  connectSessionStatuses,
  "Status of the session. SUCCESS, DUPLICATE_CONNECTION and EXPIRED are final; ERROR can be tried again until the session expires"
).annotate({ identifier: "ConnectSessionStatus" })

export const connectModes = ["standard", "headless"] as const
const ConnectMode = oneOf(
  connectModes,
  "`standard`: hosted pages; `headless`: the manufacturer's sign-in page directly"
)

const referenceId =
  "Identifier of the end user in the caller's system, which the connected devices get; generated when omitted"
const redirectUrl =
  "Where the person goes at the end, with `service_scoped_token` and `connect_session_id` added to the query, or `error` and `connect_session_id`"
const params = "Free-form JSON of the caller, returned as it is; at most 10,000 characters"

export const ConnectSession = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.connection] }),
  status: ConnectSessionStatus,
  customerId: orNull(Cuid).annotate({ description: "Customer whose devices are connected" }),
  siteId: orNull(Cuid).annotate({ description: "Site of the devices" }),
  manufacturer: orNull(Slug).annotate({ description: "Slug of the selected manufacturer" }),
  tags: orNull(Schema.Array(StoredText(100)).check(documents({ maxItems: TAGS_LIMIT }))).annotate({
    description: "Tags for the connected devices"
  }),
  referenceId: StoredText(1000).annotate({ description: referenceId }),
  redirectUrl: orNull(StoredText(2000)).annotate({ description: redirectUrl }),
  mode: ConnectMode,
  params: orNull(JsonValue).annotate({ description: params }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  expiresAt: Timestamp.annotate({ description: "Time when the link expires" })
}).annotate({
  identifier: "ConnectSession",
  description: "A session in which a person connects devices",
  examples: [
    {
      id: exampleIds.connection,
      status: "ERROR",
      customerId: exampleIds.customer,
      siteId: exampleIds.site,
      manufacturer: "generic",
      tags: ["pilot"],
      referenceId: "user-1",
      redirectUrl: "https://example.com/connected",
      mode: "standard",
      params: { plan: "flex" },
      createdAt: "2026-03-01T12:00:00.000Z",
      updatedAt: "2026-03-01T12:04:00.000Z",
      expiresAt: "2026-03-02T12:00:00.000Z"
    }
  ]
})
export type ConnectSession = typeof ConnectSession.Type

const pending = {
  id: exampleIds.connection,
  status: "PENDING",
  customerId: null,
  siteId: null,
  manufacturer: null,
  tags: ["pilot"],
  referenceId: "user-1",
  redirectUrl: "https://example.com/connected",
  mode: "standard",
  params: null,
  createdAt: "2026-03-01T12:00:00.000Z",
  updatedAt: "2026-03-01T12:00:00.000Z",
  expiresAt: "2026-03-02T12:00:00.000Z"
} as const

export const ConnectSessionCreated = Schema.Struct({
  ...ConnectSession.fields,
  url: StoredText(10_000).annotate({
    description:
      "Where the person connects devices: the hosted page, or in headless mode the manufacturer's sign-in page",
    examples: ["https://energy.example.com/connect/4vJ9sB1kQ2yXz7w0e5TnRmLpAqUoIcHd"]
  })
}).annotate({
  identifier: "ConnectSessionCreated",
  description: "A new session with the link for the person. Whoever has the link can use the session",
  examples: [{ ...pending, url: "https://energy.example.com/connect/4vJ9sB1kQ2yXz7w0e5TnRmLpAqUoIcHd" }]
})
export type ConnectSessionCreated = typeof ConnectSessionCreated.Type

/** Maximum number of status changes that are kept: the first and the latest ones. */
export const TRANSITIONS_LIMIT = 100

export const ConnectTransition = Schema.Struct({
  status: ConnectSessionStatus.annotate({ description: "The status that the session took" }),
  at: Timestamp
}).annotate({ identifier: "ConnectTransition", description: "A change of a session's status" })
export type ConnectTransition = typeof ConnectTransition.Type

const errorCodes = Object.keys(connectErrors) as ReadonlyArray<ConnectError>

export const ConnectFailure = Schema.Struct({
  code: oneOf(errorCodes, "The `error` that the redirectUrl gets").annotate({ identifier: "ConnectErrorCode" }),
  message: StoredText(1000).annotate({ description: "The error in one sentence, for developers" }),
  at: Timestamp
}).annotate({ identifier: "ConnectFailure", description: "The latest error of a session" })
export type ConnectFailure = typeof ConnectFailure.Type

export const ConnectConsent = Schema.Struct({
  version: StoredText(20).annotate({ description: "Version of the text that the person read" }),
  language: StoredText(35).annotate({ description: "Language of the text" }),
  manufacturer: Slug.annotate({ description: "Slug of the manufacturer that the consent is for" }),
  at: Timestamp
}).annotate({
  identifier: "ConnectConsent",
  description: "The person's consent to what is read and what can be commanded"
})
export type ConnectConsent = typeof ConnectConsent.Type

/** Maximum number of devices that a session connects. */
export const CONNECTED_DEVICES_LIMIT = 1000

const DeviceIntervention = Schema.Struct({
  deviceId: Cuid.annotate({ description: "The device that it concerns" }),
  ...Intervention.fields
}).annotate({
  identifier: "DeviceIntervention",
  description: "An obstacle between a device of the session and a capability, and how a person removes it"
})

export const ConnectSessionDetail = Schema.Struct({
  ...ConnectSession.fields,
  transitions: Schema.Array(ConnectTransition)
    .check(documents({ maxItems: TRANSITIONS_LIMIT }))
    .annotate({ description: "Status changes, oldest first. Of more than 100, the first and the latest 99" }),
  lastError: orNull(ConnectFailure).annotate({ description: "The latest error; null if there was none" }),
  consent: orNull(ConnectConsent).annotate({
    description: "Consent given on the hosted pages; null without, as in headless mode"
  }),
  accountId: orNull(Cuid).annotate({
    description: "The connected account at the manufacturer, as in CONNECTION_FAILED; null before SUCCESS"
  }),
  deviceIds: Schema.Array(Cuid)
    .check(documents({ maxItems: CONNECTED_DEVICES_LIMIT }))
    .annotate({ description: "Devices that the session connected" }),
  interventions: Schema.Array(DeviceIntervention)
    .check(documents({ maxItems: CONNECTED_DEVICES_LIMIT }))
    .annotate({ description: "What keeps these devices from a capability now, and what a person does about it" }),
  disconnectedAt: orNull(Timestamp).annotate({
    description: "When the session was ended by DELETE, or its account disconnected; null if it was not"
  })
}).annotate({
  identifier: "ConnectSessionDetail",
  description: "A session with its history and its devices",
  examples: [
    {
      ...pending,
      status: "SUCCESS",
      customerId: exampleIds.customer,
      siteId: exampleIds.site,
      manufacturer: "simulator",
      transitions: [
        { status: "PENDING", at: "2026-03-01T12:00:00.000Z" },
        { status: "STARTED", at: "2026-03-01T12:01:00.000Z" },
        { status: "SELECTING_MANUFACTURER", at: "2026-03-01T12:01:00.000Z" },
        { status: "AUTHORIZING_MANUFACTURER", at: "2026-03-01T12:02:00.000Z" },
        { status: "ENTERING_SYSTEM_INFO", at: "2026-03-01T12:03:00.000Z" },
        { status: "SUCCESS", at: "2026-03-01T12:04:00.000Z" }
      ],
      lastError: null,
      consent: { version: "1", language: "en", manufacturer: "simulator", at: "2026-03-01T12:02:00.000Z" },
      accountId: exampleIds.account,
      deviceIds: [exampleIds.device],
      interventions: [],
      disconnectedAt: null
    }
  ]
})
export type ConnectSessionDetail = typeof ConnectSessionDetail.Type

const RedirectUrl = Text(1, 2000)
  .check(Schema.makeFilter(redirectUrlProblem, { toJsonSchema: () => [{ format: "uri" }, true] }))
  .annotate({
    description: `${redirectUrl}. https, http on localhost, 127.0.0.1 or [::1], or the custom scheme of an app, which the workspace's \`connectRedirects\` must name. With a CONNECT key, and wherever the workspace has such a list, its origin or scheme must be on it`,
    examples: ["https://example.com/connected"]
  })

const ManufacturerFilters = Schema.Struct({
  manufacturers: optional(
    Schema.Array(Slug)
      .check(
        Schema.isMinLength(1, { message: "Must name at least one manufacturer" }),
        Schema.isMaxLength(100, { message: "Must name at most 100 manufacturers" })
      )
      .annotate({
        description: "Slugs of the manufacturers to choose from; exactly one is selected in advance",
        examples: [["simulator"]]
      })
  ),
  deviceTypes: optional(
    Schema.Array(DeviceType)
      .check(
        Schema.isMinLength(1, { message: "Must name at least one device type" }),
        Schema.isMaxLength(deviceTypes.length, { message: `Must name at most ${deviceTypes.length} device types` })
      )
      .annotate({ description: "Only manufacturers of such devices, and only devices of these types" })
  )
}).annotate({ identifier: "ManufacturerFilters", description: "Limits which manufacturers and devices can be chosen" })
export type ManufacturerFilters = typeof ManufacturerFilters.Type

const line = (description: string) => Text(1, 100).annotate({ description })

const CustomerInfo = Schema.Struct({
  email: optional(Email.annotate({ description: "E-mail address" })),
  phone: optional(Text(5, 20).annotate({ description: "Telephone number" })),
  firstName: optional(line("Given name")),
  lastName: optional(line("Family name")),
  location: optional(
    Schema.Struct({
      streetOne: line("First street line"),
      streetTwo: optional(line("Second street line")),
      city: line("City or town"),
      state: line("State, province or region; in the USA its code or name"),
      // The column holds no more.
      postalCode: Text(1, 20).annotate({ description: "Postal code; in the USA 5 digits or ZIP+4" }),
      country: line("Country, such as `USA`")
    }).annotate({ identifier: "CustomerLocation", description: "Address of the devices" })
  )
}).annotate({ identifier: "CustomerInfo", description: "What is known of the person; the pages ask for the rest" })
export type CustomerInfo = typeof CustomerInfo.Type

export const CreateConnection = Schema.Struct({
  referenceId: optional(Text(1, 1000).annotate({ description: referenceId })),
  redirectUrl: optional(RedirectUrl),
  tags: optional(Tags.annotate({ description: "Tags for the connected devices, at most 100" })),
  clientName: optional(line("What the pages call the caller; default is the workspace's name")),
  manufacturerFilters: optional(ManufacturerFilters),
  customerInfo: optional(CustomerInfo),
  customerId: optional(CuidInput.annotate({ description: "Existing customer whose devices are connected" })),
  siteId: optional(
    CuidInput.annotate({
      description:
        "Existing site of the devices. It takes precedence over `customerInfo.location`, and that over the newest site of the customer"
    })
  ),
  mode: optional(ConnectMode.annotate({ default: "standard" })),
  params: optional(JsonValue.annotate({ description: params })),
  additional: optional(
    Schema.Boolean.annotate({
      message: "Must be true or false",
      default: false,
      description:
        "Headless with a secret key: whether the person may connect another account of a manufacturer that is already connected for the `referenceId`, which is DUPLICATE_CONNECTION otherwise"
    })
  ),
  reconnect: optional(
    CuidInput.annotate({
      description:
        "A session that succeeded, or the account named by CONNECTION_FAILED, to sign in to again. Devices keep their ids and history; the manufacturer, customer, site and `referenceId` are the account's"
    })
  ),
  language: optional(
    oneOf(
      languages,
      "Language of the pages; default is the first known one of the header Accept-Language, else English"
    )
  ),
  colorScheme: optional(oneOf(["light", "dark"], "Colours of the pages; default is the visitor's own"))
}).annotate({
  identifier: "CreateConnection",
  examples: [
    {
      referenceId: "user-1",
      redirectUrl: "https://example.com/connected",
      clientName: "Sunny Homes",
      tags: ["pilot"],
      manufacturerFilters: { deviceTypes: ["battery", "inverter"] }
    },
    {
      mode: "headless",
      redirectUrl: "https://example.com/connected",
      manufacturerFilters: { manufacturers: ["simulator"] },
      customerInfo: {
        firstName: "Ada",
        lastName: "Okafor",
        email: "ada@example.com",
        location: {
          streetOne: "1 Capitol Mall",
          city: "Sacramento",
          state: "CA",
          postalCode: "95814",
          country: "USA"
        }
      }
    }
  ]
})
export type CreateConnection = typeof CreateConnection.Type

export const ConnectionFilters = {
  ...paging(),
  status: optional(Several(ConnectSessionStatus).annotate({ description: "Status of the session" })),
  referenceId: optional(
    SeveralReferences(1000).annotate({ description: "Identifiers of the end users in the caller's system" })
  ),
  customerId: optional(Several(Text(1, 100)).annotate({ description: "Sessions of these customers" })),
  manufacturer: optional(Several(Text(1, 63)).annotate({ description: "Slugs of the selected manufacturers" }))
}
