import { DistanceUnit, TemperatureUnit } from "../workspaces/displayUnits.ts"
import { Schema } from "effect"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import { Timezone } from "../shared/Timezone.ts"

/** Signing in, for which there is no session yet. */
export const SIGN_IN_PATH = "/dashboard/api/sign-in"

/** The address of one-time links. The token is in the fragment, which browsers send to no server. */
export const SIGN_IN_PAGE = "/dashboard/sign-in"

/** The header of the workspace that a request of a session is about; without it, the workspace of the session's key. */
export const WORKSPACE_HEADER = "X-Workspace-Id"
/** The header with `Session.csrfToken`, which every request of a session but GET and HEAD needs. */
export const CSRF_HEADER = "X-CSRF-Token"

/** Workspaces that a session lists. */
export const WORKSPACES_LIMIT = 1000

const SessionKey = Schema.Struct({
  id: Cuid,
  name: StoredText(255),
  keyPrefix: StoredText(12).annotate({ description: "First 12 characters of the key" }),
  workspaceId: Cuid.annotate({ description: "The workspace of the key: that of a request that chooses none" })
}).annotate({ identifier: "SessionKey", description: "The MANAGEMENT key behind a session, which ends with it" })

const SessionWorkspace = Schema.Struct({
  id: Cuid,
  name: StoredText(100),
  timezone: Timezone,
  temperatureUnit: TemperatureUnit,
  distanceUnit: DistanceUnit
}).annotate({
  identifier: "SessionWorkspace",
  description: "A workspace that the session may choose"
})

const keyExample = {
  id: exampleIds.managementKey,
  name: "Operators",
  keyPrefix: "mgmt_EXAMPLE",
  workspaceId: exampleIds.workspace
} as const

const common = {
  id: Cuid,
  key: SessionKey,
  signedInAt: Timestamp,
  expiresAt: Timestamp.annotate({
    description: "Time when the session ends; each use moves it to 12 hours later, at most 7 days after the sign-in"
  })
}

/** The session of the browser that asks. */
export const Session = Schema.Struct({
  ...common,
  organization: Schema.Struct({ id: Cuid, name: StoredText(100) }),
  workspaces: Schema.Array(SessionWorkspace)
    .check(documents({ maxItems: WORKSPACES_LIMIT }))
    .annotate({ description: "The workspaces of the organization in order of their names, 1000 at most" }),
  freshUntil: Timestamp.annotate({
    description:
      "Until then the session may make, change and end credentials and see secrets; afterwards it must sign in again"
  }),
  csrfToken: StoredText(100).annotate({ description: `Value of the header ${CSRF_HEADER}` }),
  version: StoredText(50).annotate({ description: "Version of the service" })
}).annotate({
  identifier: "Session",
  description: "A session of the dashboard",
  examples: [
    {
      id: exampleIds.session,
      key: keyExample,
      organization: { id: exampleIds.organization, name: "Sunny Valley Energy" },
      workspaces: [
        {
          id: exampleIds.workspace,
          name: "Pilot",
          timezone: "America/Los_Angeles",
          temperatureUnit: "F",
          distanceUnit: "mi"
        }
      ],
      signedInAt: "2026-03-01T12:00:00.000Z",
      freshUntil: "2026-03-01T12:10:00.000Z",
      expiresAt: "2026-03-02T00:00:00.000Z",
      csrfToken: "Yx0bq3s5aQ2hTfE8v1nKcRz7mLwPd9uGj4oSi6eXtBk",
      version: "2.0.0"
    }
  ]
})
export type Session = typeof Session.Type

export const signInMethods = ["LINK", "KEY"] as const

/** A session in the list of the organization's sessions. */
export const DashboardSession = Schema.Struct({
  ...common,
  current: Schema.Boolean.annotate({ description: "Whether it is the session that asks" }),
  method: Schema.Literals(signInMethods).annotate({ description: "Signed in by a link, or by a key that was typed" }),
  address: Schema.NullOr(StoredText(64)).annotate({ description: "Network address of the sign-in" }),
  userAgent: Schema.NullOr(StoredText(255)).annotate({ description: "The browser, as it names itself" }),
  lastUsedAt: Timestamp.annotate({ description: "At most a minute late" }),
  madeKeys: Schema.Int.check(documents({ minimum: 0 })).annotate({
    description:
      "Valid keys that sessions of this browser made, those of connect sessions included: `GET /dashboard/api/sessions/:id/keys` lists them"
  })
}).annotate({
  identifier: "DashboardSession",
  description: "A session of one of the organization's keys",
  examples: [
    {
      id: exampleIds.session,
      key: keyExample,
      current: true,
      method: "LINK",
      address: "203.0.113.7",
      userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      signedInAt: "2026-03-01T12:00:00.000Z",
      lastUsedAt: "2026-03-01T12:05:00.000Z",
      expiresAt: "2026-03-02T00:05:00.000Z",
      madeKeys: 1
    }
  ]
})
export type DashboardSession = typeof DashboardSession.Type

/** Either the token of a link or a MANAGEMENT key. */
export const SignIn = Schema.Struct({
  token: Schema.optionalKey(Text(1, 200).annotate({ description: "The single-use token of a link" })),
  key: Schema.optionalKey(Text(1, 200).annotate({ description: "A MANAGEMENT key" }))
}).annotate({ identifier: "SignIn", examples: [{ token: "EXAMPLEexampleEXAMPLEexampleEXAMPLEexample0" }] })
export type SignIn = typeof SignIn.Type

export const DashboardLink = Schema.Struct({
  url: StoredText(2200).annotate({
    description: "Signs a browser in, once. The token is in the fragment, which browsers send to no server"
  }),
  expiresAt: Timestamp
}).annotate({
  identifier: "DashboardLink",
  examples: [
    {
      url: "https://energy.example.com/dashboard/sign-in#token=EXAMPLEexampleEXAMPLEexampleEXAMPLEexample0",
      expiresAt: "2026-03-01T12:10:00.000Z"
    }
  ]
})
export type DashboardLink = typeof DashboardLink.Type

/**
 * Why a session may not make a request: the body of a 403 with the code FORBIDDEN, which any endpoint can return to a session.
 * Requests with a key never get it.
 */
export const SessionRefusal = Schema.Struct({
  code: Schema.Literal("FORBIDDEN"),
  message: Schema.String,
  details: Schema.Struct({
    /** The header X-CSRF-Token is absent or wrong. */
    csrfToken: Schema.optionalKey(Schema.String),
    /** The endpoint makes, changes or ends credentials or shows a secret, and the sign-in was more than 10 minutes ago. */
    signIn: Schema.optionalKey(Schema.String)
  })
})
export type SessionRefusal = typeof SessionRefusal.Type
