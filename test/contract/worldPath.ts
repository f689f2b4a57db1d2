import { type Endpoint, fillPath } from "./endpoints.ts"
import { findPathId } from "./pathIds.ts"
import type { World } from "./world.ts"

/** The endpoint's path with the world's own things in it. */
export const worldPath = ({ path, documented, params }: Endpoint, world: World) => {
  const paramValue = (param: string) => {
    const kind = findPathId(documented, param)
    if (kind !== undefined) return String(world[kind])
    return param === "slug" ? "generic" : world.deviceModelId
  }
  return fillPath(path, Object.fromEntries(params.map((param) => [param, paramValue(param)])))
}
