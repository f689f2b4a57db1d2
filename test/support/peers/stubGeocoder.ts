import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A geocoding service that speaks the API of Nominatim, and whose responses a test decides. */
export class StubGeocoder {
  /** The street of each request, in order. */
  readonly asked: Array<string> = []
  /** How the next request is answered; by default with `place`. */
  respond: (response: ServerResponse, street: string) => void | Promise<void> = (response) => this.found(response)
  place = { latitude: 38.5, longitude: -121.5, county: "Sacramento County" }
  url = ""

  private readonly server = createServer((request, response) => {
    const street = new URL(request.url!, "http://geocoder").searchParams.get("street") ?? ""
    this.asked.push(street)
    void this.respond(response, street)
  })

  async start() {
    await new Promise<void>((listening) => this.server.listen(0, "127.0.0.1", listening))
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  stop() {
    this.server.closeAllConnections()
    return new Promise((done) => this.server.close(done))
  }

  found(response: ServerResponse) {
    const { latitude, longitude, county } = this.place
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify([{ lat: String(latitude), lon: String(longitude), address: { county } }]))
  }
}
