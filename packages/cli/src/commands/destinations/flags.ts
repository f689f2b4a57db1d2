import { deviceGroups } from "@edp/domain/destinations/Destination"
import { eventTypes } from "@edp/domain/events/EventType"
import { Effect, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { parseHeaders, parseObject, text } from "../../flags.ts"

export const id = Argument.String("id").pipe(Argument.withDescription("Id of the destination"))

export const workspace = Flag.String("workspace").pipe(
  Flag.withDescription("Workspace that a MANAGEMENT key means; default: its own"),
  Flag.optional
)

/** The workspace as the API takes it. */
export const ofWorkspace = (workspace: Option.Option<string>) =>
  Option.isSome(workspace) ? { workspaceId: workspace.value } : {}

/** What `create` and `update` may say. */
export const settingFlags = {
  label: text("label", "A name for people"),
  event: Flag.Literals("event", eventTypes).pipe(
    Flag.withDescription("What goes there; repeat for several"),
    Flag.atLeast(0)
  ),
  deviceType: Flag.Literals("devices", deviceGroups).pipe(
    Flag.withDescription("Events of such devices alone"),
    Flag.optional
  ),
  url: text("url-to", "Where events are posted"),
  email: text("email", "Where mails go"),
  phoneNumber: text("phone", "Where messages go, such as +19165550142"),
  header: Flag.String("header").pipe(
    Flag.withMetavar("'name: value'"),
    Flag.withDescription("A further request header; repeat for several, which replace those of before"),
    Flag.atLeast(0)
  ),
  kafka: Flag.String("kafka").pipe(
    Flag.withMetavar("json"),
    Flag.withDescription('Where in Kafka, as JSON: {"brokers": ["host:9092"], "topic": "events"}'),
    Flag.optional
  ),
  weather: Flag.Boolean("weather").pipe(Flag.withDescription("Add the weather at the site"), Flag.optional)
}

interface Settings {
  readonly event: ReadonlyArray<string>
  readonly header: ReadonlyArray<string>
  readonly kafka: Option.Option<string>
  readonly weather: Option.Option<boolean>
}

/** Those that are not sent as they are written. */
export const parsedSettings = Effect.fnUntraced(function* ({ event, header, kafka, weather }: Settings) {
  return {
    ...(event.length > 0 && { eventTypes: event as never }),
    ...(header.length > 0 && { headers: yield* parseHeaders(header) }),
    ...(Option.isSome(kafka) && { kafkaConfig: (yield* parseObject("kafka", kafka.value)) as never }),
    ...(Option.isSome(weather) && { includeWeather: weather.value })
  }
})
