/** Pairs a device while another program holds the port of multicast DNS, and prints the errors of then and afterwards. */
import { createSocket, type Socket } from "node:dgram"
import { once } from "node:events"
import { matterAdapter } from "@edp/adapter-matter/matterAdapter"
import { startAdapter } from "../mqtt/onBroker.ts"
import { manualCode } from "./MatterHome.ts"

const held: ReadonlyArray<Socket> = [createSocket("udp4"), createSocket({ type: "udp6", ipv6Only: true })]
for (const socket of held) {
  socket.bind(5353)
  await once(socket, "listening")
}
const { refused } = await startAdapter(matterAdapter)
const code = manualCode(31_415_926, 1234)
const first = await refused({ code })
for (const socket of held) socket.close()
const second = await refused({ code })
process.stdout.write(JSON.stringify([first, second].map(({ failure, message }) => ({ failure, message }))))
process.exit()
