import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { Command, CommandResult } from "../commands/Command.ts"
import {
  DeviceNotAssociated,
  DeviceNotFound,
  DeviceNotOemDirect,
  InvalidState,
  ManufacturerNotAllowed,
  NotFound,
  ValidationError
} from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { CursorPage, cursorPaging, Several, withNextCursor } from "../shared/Page.ts"
import { oneOf } from "../shared/quantities.ts"

const manufacturer = ["MANUFACTURER"] as const
const refusals = [DeviceNotFound, ManufacturerNotAllowed, DeviceNotOemDirect, DeviceNotAssociated] as const

export const DirectCommandFilters = {
  ...cursorPaging,
  status: Schema.optionalKey(
    Several(oneOf(["pending"])).annotate({
      description: "Commands that wait for the device: the only ones that are listed, with or without the filter"
    })
  )
}

export class DirectCommandsApi extends HttpApiGroup.make("directCommands")
  .add(
    HttpApiEndpoint.get("take", "/devices/:id/commands", {
      params: { id: PathId },
      query: DirectCommandFilters,
      success: withNextCursor(CursorPage(Command)),
      error: [ValidationError, ...refusals]
    }).annotateMerge(
      describe(
        manufacturer,
        "Take the commands of a device",
        "The commands that wait for the device, oldest first; scheduled ones once they are due. A command that is returned becomes `delivered`, and is returned again until its result or its time-out: execute each id once."
      )
    ),
    HttpApiEndpoint.post("report", "/devices/:id/commands/:commandId/result", {
      params: { id: PathId, commandId: PathId },
      payload: CommandResult,
      success: Command,
      error: [ValidationError, ...refusals, NotFound, InvalidState]
    }).annotateMerge(
      describe(
        manufacturer,
        "Report the result of a command",
        "Settles the command, even before its delivery was acknowledged. The same status and reason again are 200 and change nothing; another result of a command that has ended is INVALID_STATE. After the time-out the first result is kept as `lateResult`, and the status stays. INVALID_STATE also for a scheduled command that is not due yet. Also served under `/v1`."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Commands for direct devices",
      description:
        "Manufacturers get the commands for their direct devices by a MANUFACTURER_COMMAND destination, or take them here, and report their results with a MANUFACTURER key."
    })
  ) {}
