import { execFile, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { describeServer } from "../../support/describeServer.ts"

/** A network of its own, in which the port is free, and which no other suite disturbs. */
const apart = ["unshare", ["--map-root-user", "--net"]] as const
const isAvailable = spawnSync(apart[0], [...apart[1], "true"]).status === 0

describeServer("unshare", isAvailable, "the port of multicast DNS", () => {
  it("is named while another program holds it, and used as soon as it is free", async () => {
    const program = fileURLToPath(new URL("heldPort.ts", import.meta.url))
    const { stdout } = await promisify(execFile)(apart[0], [
      ...apart[1],
      process.execPath,
      "--conditions=@edp/source",
      program
    ])
    expect(JSON.parse(stdout)).toEqual([
      {
        failure: "misconfigured",
        message:
          "Matter needs multicast DNS on the host of the platform, and its UDP port 5353 can't be opened. Another program may hold it, and a container needs the network of its host"
      },
      {
        failure: "unreachable",
        message: "No device with this code was found. It must be in pairing mode, and in the network of the platform"
      }
    ])
  })
})
