/** A response as the API's documentation publishes it for `current=…`, in Fahrenheit, miles per hour and Unix time. */
export const forecast = {
  latitude: 38.57764,
  longitude: -121.49493,
  generationtime_ms: 0.0528097152709961,
  utc_offset_seconds: 0,
  timezone: "GMT",
  timezone_abbreviation: "GMT",
  elevation: 9,
  current_units: {
    time: "unixtime",
    interval: "seconds",
    temperature_2m: "°F",
    cloud_cover: "%",
    wind_speed_10m: "mp/h",
    weather_code: "wmo code"
  },
  current: {
    time: 1772366400,
    interval: 900,
    temperature_2m: 61.3,
    cloud_cover: 45,
    wind_speed_10m: 7.4,
    weather_code: 2
  }
}

/** The API's response to an invalid request. */
export const refusal = {
  error: true,
  reason: "Cannot initialize WeatherVariable from invalid String value tempeture_2m for key current"
}
