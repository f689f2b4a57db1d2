import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { DeviceNotFound, Forbidden } from "@edp/domain/errors/ApiErrors"
import { Effect } from "effect"

interface Owned {
  readonly workspaceId: string | null
  readonly referenceId: string
}

/** The device when the caller may read it: one of its workspace, and for a SCOPED key one of its user. */
export const readable = <D extends Owned>(
  caller: CurrentKey["Service"],
  device: D | undefined
): Effect.Effect<D, DeviceNotFound | Forbidden> => {
  if (device === undefined || device.workspaceId !== caller.workspaceId) return Effect.fail(new DeviceNotFound({}))
  if (caller.type === "SCOPED" && device.referenceId !== caller.scopeReferenceId) return Effect.fail(new Forbidden({}))
  return Effect.succeed(device)
}
