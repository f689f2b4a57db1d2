/** The response of Nominatim to /search in the format jsonv2 with addressdetails, in its documented shape. */
export const nominatimPlaces = [
  {
    place_id: 307_541_214,
    licence: "Data © OpenStreetMap contributors, ODbL 1.0. http://osm.org/copyright",
    osm_type: "way",
    osm_id: 33_028_151,
    lat: "38.5766545",
    lon: "-121.4934022",
    category: "building",
    type: "government",
    place_rank: 30,
    importance: 0.4619,
    addresstype: "building",
    name: "California State Capitol",
    display_name:
      "California State Capitol, 1315, 10th Street, Sacramento, Sacramento County, California, 95814, United States",
    address: {
      building: "California State Capitol",
      house_number: "1315",
      road: "10th Street",
      city: "Sacramento",
      county: "Sacramento County",
      state: "California",
      "ISO3166-2-lvl4": "US-CA",
      postcode: "95814",
      country: "United States",
      country_code: "us"
    },
    boundingbox: ["38.5759932", "38.5773210", "-121.4942112", "-121.4925931"]
  }
]

/** The response of the Census Bureau's geocoder to geographies/onelineaddress, in its documented shape. */
export const censusMatches = {
  result: {
    input: {
      address: { address: "1315 10th Street, Sacramento, CA 95814" },
      vintage: {
        isDefault: true,
        id: "4",
        vintageName: "Current_Current",
        vintageDescription: "Current Vintage - Current Benchmark"
      },
      benchmark: {
        isDefault: true,
        benchmarkDescription: "Public Address Ranges - Current Benchmark",
        id: "4",
        benchmarkName: "Public_AR_Current"
      }
    },
    addressMatches: [
      {
        tigerLine: { side: "L", tigerLineId: "196230101" },
        coordinates: { x: -121.493297, y: 38.576659 },
        addressComponents: {
          zip: "95814",
          streetName: "10TH",
          preType: "",
          city: "SACRAMENTO",
          preDirection: "",
          suffixDirection: "",
          fromAddress: "1301",
          state: "CA",
          suffixType: "ST",
          toAddress: "1399",
          suffixQualifier: "",
          preQualifier: ""
        },
        matchedAddress: "1315 10TH ST, SACRAMENTO, CA, 95814",
        geographies: {
          Counties: [
            {
              GEOID: "06067",
              CENTLAT: "+38.4500114",
              CENTLON: "-121.3404409",
              STATE: "06",
              COUNTY: "067",
              BASENAME: "Sacramento",
              NAME: "Sacramento County",
              LSADC: "06",
              FUNCSTAT: "A",
              MTFCC: "G4020"
            }
          ]
        }
      }
    ]
  }
}
