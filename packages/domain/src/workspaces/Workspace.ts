import { Schema } from "effect"
import { CONNECT_REDIRECTS_LIMIT, connectRedirectProblem } from "../connections/redirectUrl.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { DistanceUnit, TemperatureUnit } from "./displayUnits.ts"
import { Email, HexColor, HttpsUrl, StoredText, Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import { Timezone, timezoneInput } from "../shared/Timezone.ts"

/** The name of the workspace that the first start makes. End users do not read it. */
export const FIRST_WORKSPACE_NAME = "My workspace"

/** The name of a workspace for end users; null while it still has that of the first start. */
export const publicName = (name: string): string | null => (name === FIRST_WORKSPACE_NAME ? null : name)

export const Workspace = Schema.Struct({
  id: Cuid,
  organizationId: Cuid.annotate({
    description: "The organization that owns the workspace",
    examples: [exampleIds.organization]
  }),
  name: StoredText(100).annotate({ description: "Unique in the organization" }),
  deletionProtection: Schema.Boolean.annotate({
    description: "While true, the workspace and its sites, customers and devices can't be deleted"
  }),
  timezone: Timezone,
  logoUrl: Schema.NullOr(StoredText(2000)).annotate({
    description: "An https address of the logo that the connect pages show"
  }),
  accentColor: Schema.NullOr(StoredText(7)).annotate({
    description: "Colour of buttons and links on the connect pages, as #rrggbb",
    examples: ["#1a5fb4"]
  }),
  contactEmail: Schema.NullOr(StoredText(254)).annotate({
    description: "E-mail address for questions, on the hosted pages",
    examples: ["help@acme.example"]
  }),
  contactPhone: Schema.NullOr(StoredText(30)).annotate({
    description: "Phone number for questions, on the hosted pages"
  }),
  contactUrl: Schema.NullOr(StoredText(2000)).annotate({ description: "Page with help, linked on the hosted pages" }),
  temperatureUnit: TemperatureUnit,
  distanceUnit: DistanceUnit,
  connectRedirects: Schema.Array(StoredText(300))
    .check(documents({ maxItems: CONNECT_REDIRECTS_LIMIT }))
    .annotate({
      description:
        "Origins and schemes of apps to which connect sessions may send end users, with the scoped key. Sessions of a CONNECT key may send them nowhere else; while the list is empty, sessions of other keys may have any https `redirectUrl`, or http on localhost",
      examples: [["https://app.example.com", "sunnyhomes:"]]
    }),
  pausedAt: Schema.NullOr(Timestamp).annotate({
    description:
      "Since when the workspace is paused for its move to another installation: it sends no commands, deliveries and mails, and calls no manufacturer"
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({
  identifier: "Workspace",
  description: "An isolated set of sites, devices, customers and alerts",
  examples: [
    {
      id: exampleIds.workspace,
      organizationId: exampleIds.organization,
      name: "Pilot",
      deletionProtection: false,
      timezone: "America/Los_Angeles",
      logoUrl: "https://acme.example/logo.svg",
      accentColor: "#1a5fb4",
      contactEmail: "help@acme.example",
      contactPhone: "+1 916 555 0142",
      contactUrl: "https://acme.example/help",
      temperatureUnit: "F",
      distanceUnit: "mi",
      connectRedirects: ["https://app.example.com", "sunnyhomes:"],
      pausedAt: null,
      createdAt: "2026-03-01T12:00:00.000Z",
      updatedAt: "2026-03-01T12:00:00.000Z"
    }
  ]
})
export type Workspace = typeof Workspace.Type

const protection = Schema.Boolean.annotate({
  message: "Must be true or false",
  description: "Whether deleting the workspace, its sites, customers and devices is refused"
})
const connectRedirects = Schema.optionalKey(
  Schema.Array(Text(1, 300).check(Schema.makeFilter(connectRedirectProblem)))
    .check(
      Schema.isMaxLength(CONNECT_REDIRECTS_LIMIT, { message: `Must name at most ${CONNECT_REDIRECTS_LIMIT} targets` })
    )
    .annotate({
      description:
        "The only targets of the `redirectUrl` of connect sessions: exact origins (https, or http on localhost) and schemes of apps with their colon; an empty list for none",
      examples: [["https://app.example.com", "http://localhost:5173", "sunnyhomes:"]]
    })
)
const branding = {
  logoUrl: Schema.optionalKey(
    Schema.NullOr(HttpsUrl).annotate({
      description: "An https address of an image of at most 256 KiB; null for none",
      examples: ["https://acme.example/logo.svg"]
    })
  ),
  accentColor: Schema.optionalKey(
    Schema.NullOr(HexColor).annotate({ description: "A colour as #rrggbb; null for the standard colour" })
  )
}
const phoneMessage = "Must be a phone number, such as +1 916 555 0142"
const contact = {
  contactEmail: Schema.optionalKey(
    Schema.NullOr(Email).annotate({ description: "E-mail address for questions, on the hosted pages; null for none" })
  ),
  contactPhone: Schema.optionalKey(
    Schema.NullOr(Text(3, 30).check(Schema.isPattern(/^[+]?[0-9(][0-9 ().-]*$/u, { message: phoneMessage }))).annotate({
      description: "Phone number for questions, on the hosted pages; null for none"
    })
  ),
  contactUrl: Schema.optionalKey(
    Schema.NullOr(HttpsUrl).annotate({ description: "An https address of a page with help; null for none" })
  )
}
const units = {
  temperatureUnit: Schema.optionalKey(TemperatureUnit),
  distanceUnit: Schema.optionalKey(DistanceUnit)
}
const name = Text(1, 100).annotate({ description: "Unique in the organization" })

export const CreateWorkspace = Schema.Struct({
  name,
  deletionProtection: Schema.optionalKey(protection.annotate({ default: false })),
  timezone: Schema.optionalKey(timezoneInput({ default: "UTC" })),
  ...branding,
  ...contact,
  ...units,
  connectRedirects
}).annotate({ identifier: "CreateWorkspace", examples: [{ name: "Pilot", timezone: "America/Los_Angeles" }] })
export type CreateWorkspace = typeof CreateWorkspace.Type

export const UpdateWorkspace = Schema.Struct({
  name: Schema.optionalKey(name),
  deletionProtection: Schema.optionalKey(protection),
  timezone: Schema.optionalKey(timezoneInput()),
  ...branding,
  ...contact,
  ...units,
  connectRedirects
}).annotate({ identifier: "UpdateWorkspace", examples: [{ deletionProtection: true }] })
export type UpdateWorkspace = typeof UpdateWorkspace.Type
