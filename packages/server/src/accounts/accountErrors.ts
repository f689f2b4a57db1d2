import { Data } from "effect"

/** The manufacturer has no adapter, or the operator has not set it up. */
export class NotConnectable extends Data.TaggedError("NotConnectable")<{ readonly manufacturer: string }> {}

/** Devices that another connected account of the workspace, or the manufacturer itself, reports. */
export class DeviceTaken extends Data.TaggedError("DeviceTaken")<{
  readonly manufacturerDeviceIds: ReadonlyArray<string>
}> {}
