import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { WebSocketServer } from "ws"
import { readShelly, type ShellyModel, speakShelly } from "./ShellyDevice.ts"

export interface ShellyRpcServer {
  readonly port: number
  readonly close: () => Promise<void>
}

/** A Shelly device that others reach: its RPC by HTTP and by WebSocket at `/rpc`, and what it tells anybody at `/shelly`. It has no password. */
export const startShellyRpcServer = async (model: ShellyModel): Promise<ShellyRpcServer> => {
  const result = (method: string, params: Record<string, unknown>) => {
    const value = readShelly(model, method, params)
    return method === "Shelly.GetDeviceInfo" ? { ...value, auth_en: false, auth_domain: null } : value
  }
  const server = createServer(({ url }, response) => {
    const { pathname, searchParams } = new URL(url!, "http://device")
    const method = pathname === "/shelly" ? "Shelly.GetDeviceInfo" : pathname.replace("/rpc/", "")
    const value = result(method, Object.fromEntries(searchParams))
    response
      .writeHead(value === undefined ? 404 : 200, { "content-type": "application/json" })
      .end(JSON.stringify(value ?? { code: 404, message: `No handler for ${method}` }))
  })
  const sockets = new WebSocketServer({ server, path: "/rpc" })
  sockets.on("connection", (socket) => void speakShelly(socket, model))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets.clients) socket.terminate()
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
