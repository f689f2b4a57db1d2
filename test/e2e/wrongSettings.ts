import { readFile } from "node:fs/promises"

/** A wrong value for every setting that can have one. */
export const wrongSettings: ReadonlyArray<readonly [name: string, value: string]> = [
  ["PORT", "http"],
  ["PORT", "0"],
  ["PORT", "65536"],
  ["DATABASE_URL", "mysql://edp:hunter2@db/edp"],
  ["DATABASE_URL", "somewhere"],
  ["DATABASE_READ_URL", "mysql://edp:hunter2@replica/edp"],
  ["EDP_READ_LAG", "0 seconds"],
  ["EDP_READ_LAG", "11 minutes"],
  ["EDP_DATABASE_POOL", "1"],
  ["REDIS_URL", "http://cache:6379"],
  ["EDP_BOOTSTRAP_MANAGEMENT_KEY", "mgmt_mistyped"],
  ["EDP_ENCRYPTION_KEY", "too short"],
  ["EDP_ENCRYPTION_KEY_PREVIOUS", "dG9vIHNob3J0"],
  ["EDP_ALLOW_PRIVATE_DESTINATIONS", "perhaps"],
  ["EDP_DESTINATIONS_PER_WORKSPACE", "0"],
  ["EDP_EMAIL_HOURLY", "0"],
  ["EDP_SMS_HOURLY", "unlimited"],
  ["EDP_RATE_LIMIT_READ", "-1"],
  ["EDP_RATE_LIMIT_WRITE", "1.5"],
  ["EDP_RATE_LIMIT_BULK", "many"],
  ["EDP_RATE_LIMIT_AUTH_FAILURES", "0"],
  ["EDP_UNREAD_ANSWERS", "15"],
  ["EDP_UNREAD_TIMEOUT", "0"],
  ["EDP_TRUSTED_PROXIES", "127.0.0.1,proxy"],
  ["EDP_CORS_ORIGINS", "app.example.com"],
  ["EDP_CORS_ORIGINS", "https://app.example.com/path"],
  ["EDP_METRICS_PORT", "none"],
  ["EDP_TELEMETRY_RETENTION", "a while"],
  ["EDP_TELEMETRY_RETENTION", "0 days"],
  ["EDP_TELEMETRY_RETENTION", "6 days"],
  ["EDP_CLICKHOUSE_URL", "clickhouse://edp:hunter2@archive/edp"],
  ["EDP_CLICKHOUSE_TABLES", "replicated"],
  ["EDP_HOT_DAYS", "6 days"],
  ["EDP_SHARED_CATALOGUE_WRITES", "everybody"],
  ["EDP_AUDIT_RETENTION", "for ever"],
  ["EDP_AUDIT_RETENTION", "364 days"],
  ["EDP_PUBLIC_URL", "ftp://edp.example"],
  ["EDP_CONNECT_SESSION_TTL", "a day"],
  ["EDP_CONNECT_SESSION_TTL", "31 days"],
  ["EDP_DEVICE_RESPONSE_TIME", "0 seconds"],
  ["EDP_DEVICE_RESPONSE_TIME", "26 seconds"],
  ["EDP_SCOPED_KEY_TTL", "1 second"],
  ["EDP_COMMAND_TIMEOUT", "1 second"],
  ["EDP_COMMAND_WRITES_PER_HOUR", "0"],
  ["GEOCODER", "by hand"],
  ["WEATHER_URL", "rain"],
  ["SMTP_URL", "mail.example.com"],
  ["SMTP_URL", "smtp://edp:hunter2@mail.example.com?starttls=optional"],
  ["SMTP_FROM", "nobody"],
  ["SMS_API_URL", "gateway"],
  ["SMS_ACCOUNT", "AC 1"],
  ["SMS_FROM", "+1"],
  ["EDP_OPENADR_REPORT_RETENTION", "30 days"],
  ["EDP_OPENADR_MQTT_URL", "broker.example.com"],
  ["EDP_OPENADR_MQTT_URL", "mqtts://edp@broker.example.com"],
  ["EDP_OPENADR_MQTT_PUBLIC_URL", "mqtts://edp:hunter2@broker.example.com"],
  ["EDP_OPENADR_MQTT_AUTHENTICATION", "password"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector"],
  ["OTEL_TRACES_SAMPLER_ARG", "2"],
  ["EDP_ADAPTERS", "@acme/adapter,,./adapters"],
  ["EDP_TEMPLATES_DIR", "/no/such/folder"],
  ["EDP_SIMULATOR", "maybe"],
  ["EDP_DEVICE_NETWORKS", "home"],
  ["EDP_LOG", "xml"],
  ["EDP_LOG_LEVEL", "loud"],
  ["EDP_PROCESSES", "0"],
  ["EDP_PROCESSES", "65"],
  ["EDP_PROCESSES", "all"],
  ["EDP_ROLE", "boss"]
]

/** Settings that accept any text: a wrong value is reported when it is used. */
export const anyText: ReadonlyArray<string> = ["EDP_HOST", "EDP_DATA_DIR", "SMS_TOKEN"]

/** The names that the server's configuration reads. */
export const knownSettings = async (): Promise<ReadonlySet<string>> => {
  const source = await readFile(
    new URL("../../packages/server/src/platform/config/ServerConfig.ts", import.meta.url),
    "utf8"
  )
  return new Set([...source.matchAll(/\bsetting(?:<\w+>)?\(\s*"([A-Z_]+)"/g)].map(([, name]) => name!))
}
