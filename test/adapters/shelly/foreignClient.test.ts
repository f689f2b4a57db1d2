import { observeComponent } from "@edp/adapter-shelly/readings"
import { readStatus } from "@edp/adapter-shelly/deviceStatus"
import { expect, it } from "vitest"
import { freePort } from "../../support/freePort.ts"
import { awaitByForeignClient, describeForeignClients } from "../../support/peers/ForeignClients.ts"
import { dialShelly, plus1pm, pro3em, type ShellyPeer } from "../../support/peers/ShellyDevice.ts"

describeForeignClients("a device that dials, read by a client library of another author", () => {
  it.each([
    ["em", pro3em()],
    ["switch", plus1pm()]
  ] as const)(
    "aioshelly reads in the announced status of %s the figures that the adapter reads",
    async (kind, model) => {
      const listen = await freePort()
      const peers: Array<ShellyPeer> = []
      const values = { port: null, listen, mac: model.info["mac"] }
      const { figures } = await awaitByForeignClient("aioshelly", values, async () => {
        peers.push(await dialShelly(`ws://127.0.0.1:${listen}/api/shelly/ws`, model))
      })
      for (const { closed, socket } of peers) {
        socket.terminate()
        await closed
      }
      const { problems, state } = observeComponent({ kind, id: 0 }, "meter", readStatus(model.status))
      expect(problems).toEqual([])
      expect({ ...figures["meter"], power: Math.round(figures["meter"]!["power"]!) }).toEqual(state)
    }
  )
})
