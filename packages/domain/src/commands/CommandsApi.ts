import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BrowserCallable, describe, deviceReadKeys, workspaceKeys, WritesNothing } from "../auth/annotations.ts"
import { DeviceNotFound, Forbidden, InvalidState, NotFound, ValidationError } from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { CursorPage, withNextCursor } from "../shared/Page.ts"
import { CommandPreview } from "./CommandPreview.ts"
import { Command, CommandFilters, DeviceCommandFilters, SendCommand } from "./Command.ts"

const params = { id: PathId }
const CommandPage = CursorPage(Command)

export class CommandsApi extends HttpApiGroup.make("commands")
  .add(
    HttpApiEndpoint.post("send", "/v1/devices/:id/commands", {
      params,
      payload: SendCommand,
      success: Command.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, DeviceNotFound, Forbidden, InvalidState]
    })
      .annotate(BrowserCallable, true)
      .annotateMerge(
        describe(
          deviceReadKeys,
          "Send a command to a device",
          "Stores the command; it is sent at once, or at `scheduledFor`. Batteries charge, discharge, idle and keep a reserve, chargers and vehicles start and stop charging, thermostats heat and cool. Follow its status by `GET /v1/commands/:id` or by the events COMMAND_SUCCEEDED, COMMAND_FAILED and COMMAND_OVERRIDDEN. INVALID_STATE: the type is not among the device's `availableCommands`, the device is disconnected, or `reset` finds no settings of the last 24 hours. An immediate command overrides the undelivered immediate commands of its type on the device; a scheduled one only the one scheduled for the same second."
        )
      ),
    HttpApiEndpoint.post("preview", "/v1/devices/:id/commands/preview", {
      params,
      payload: SendCommand,
      success: CommandPreview,
      error: [ValidationError, DeviceNotFound, Forbidden, InvalidState]
    })
      .annotate(WritesNothing, true)
      .annotateMerge(
        describe(
          deviceReadKeys,
          "Preview a command",
          "Takes the body of a command and returns what it would do now, by the newest readings of the device and of its site, with the power or the reason why nothing would move. It is refused as the command would be. Nothing is stored or sent."
        )
      ),
    HttpApiEndpoint.get("ofDevice", "/v1/devices/:id/commands", {
      params,
      query: DeviceCommandFilters,
      success: withNextCursor(CommandPage),
      error: [ValidationError, DeviceNotFound, Forbidden]
    }).annotateMerge(describe(deviceReadKeys, "List commands of a device", "Newest first.")),
    HttpApiEndpoint.get("list", "/v1/commands", {
      query: CommandFilters,
      success: withNextCursor(CommandPage),
      error: ValidationError
    }).annotateMerge(
      describe(workspaceKeys, "List commands", "Newest first; `totalItems` counts at most 100,000, the range of pages.")
    ),
    HttpApiEndpoint.get("get", "/v1/commands/:id", {
      params,
      success: Command,
      error: [NotFound, Forbidden]
    }).annotateMerge(
      describe(
        deviceReadKeys,
        "Get a command",
        "With the time of each status. A SCOPED key may read the commands of its own devices; others are FORBIDDEN."
      )
    ),
    HttpApiEndpoint.post("cancel", "/v1/commands/:id/cancel", {
      params,
      success: Command,
      error: [NotFound, InvalidState]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Cancel a command",
        "The command becomes failed with the reason `cancelled`. INVALID_STATE once it is being sent, was delivered or has ended."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Commands",
      description:
        "Instructions to devices. Each command is sent once, and once more at most after a crash, with the same id as its token; its effect is confirmed by the adapter, by the manufacturer's result or by the device's next telemetry."
    })
  ) {}
