import { Schema } from "effect"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { paging, Several } from "../shared/Page.ts"
import { oneOf } from "../shared/quantities.ts"
import { StoredText } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

const orNull = Schema.NullOr

export const callbackStatuses = ["HEALTHY", "FAILING", "BROKEN"] as const

export const CallbackStatus = Schema.Literals(callbackStatuses).annotate({
  identifier: "OpenAdrCallbackStatus",
  message: `Must be one of ${callbackStatuses.join(", ")}`,
  description:
    "HEALTHY: its last notification was accepted, or it has had none. FAILING: the last one was not, and is repeated. BROKEN: it has failed for a day and gets no notifications until its subscription is updated"
})

/** Notifications that are counted for one callback at most. */
export const COUNTED_NOTIFICATIONS = 10_000

const names = Schema.Array(StoredText(32)).check(documents({ maxItems: 20 }))

export const SubscriptionCallback = Schema.Struct({
  url: StoredText(8000).annotate({ description: "The scheme and host of the `callbackUrl`, followed by `/********`" }),
  objects: names.annotate({ description: "Types of the objects of which it is told" }),
  operations: names.annotate({ description: "Operations of which it is told" }),
  status: CallbackStatus,
  failures: Schema.Int.check(documents({ minimum: 0 })).annotate({ description: "Failed calls in a row" }),
  failingSince: orNull(Timestamp).annotate({ description: "The first failure since the last success; null if none" }),
  lastFailureAt: orNull(Timestamp).annotate({ description: "Time of the last failure; null if none" }),
  lastError: orNull(StoredText(500)).annotate({ description: "What was wrong at the last failure; null if none" }),
  nextAttemptAt: orNull(Timestamp).annotate({ description: "When a failing callback is called again; null otherwise" }),
  brokenAt: orNull(Timestamp).annotate({ description: "Since when it is told nothing; null if it is not broken" }),
  pending: Schema.Int.check(documents({ minimum: 0, maximum: COUNTED_NOTIFICATIONS })).annotate({
    description: `Notifications that wait, at most ${COUNTED_NOTIFICATIONS}`
  })
}).annotate({
  identifier: "OpenAdrSubscriptionCallback",
  description: "A callback of a subscription, and how its calls go"
})

export const SubscriptionState = Schema.Struct({
  id: Cuid,
  clientId: StoredText(128).annotate({ description: "`client_id` of the subscriber: the id of its key" }),
  role: oneOf(["BL", "VEN"], "Business logic or a VEN"),
  venName: orNull(StoredText(128)).annotate({ description: "Name of the client's ven; null if it has none" }),
  clientName: StoredText(128),
  programName: orNull(StoredText(128)).annotate({ description: "Program of which it is told; null: every program" }),
  status: CallbackStatus.annotate({ description: "The worst status of its callbacks" }),
  callbacks: Schema.Array(SubscriptionCallback).check(documents({ maxItems: 20 })),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({
  identifier: "OpenAdrSubscriptionState",
  description: "A subscription at the OpenADR server, and how the calls of its callbacks go",
  examples: [
    {
      id: exampleIds.destination,
      clientId: exampleIds.apiKey,
      role: "VEN",
      venName: "aggregator",
      clientName: "aggregator",
      programName: "summer-peak",
      status: "FAILING",
      callbacks: [
        {
          url: "https://ven.example.com/********",
          objects: ["EVENT"],
          operations: ["CREATE", "UPDATE", "DELETE"],
          status: "FAILING",
          failures: 3,
          failingSince: "2026-03-01T12:00:00.000Z",
          lastFailureAt: "2026-03-01T12:00:30.000Z",
          lastError: "The response had the status 503",
          nextAttemptAt: "2026-03-01T12:01:10.000Z",
          brokenAt: null,
          pending: 2
        }
      ],
      createdAt: "2026-03-01T11:00:00.000Z",
      updatedAt: "2026-03-01T11:00:00.000Z"
    }
  ]
})
export type SubscriptionState = typeof SubscriptionState.Type

export const SubscriptionFilters = {
  ...paging(10),
  status: Schema.optionalKey(Several(CallbackStatus).annotate({ description: "Only with these statuses" }))
}
