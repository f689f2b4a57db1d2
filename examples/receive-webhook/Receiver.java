import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Receives events by webhook: verifies each, and prints it once. Nothing but Java 17 is needed. */
public class Receiver {
  static final int LIMIT = 1024 * 1024;

  // recipe
  /** Whether a delivery is the platform's, and not older than five minutes. body are the bytes as they came. */
  static boolean isGenuine(String secret, Headers headers, byte[] body) throws GeneralSecurityException {
    String id = headers.getFirst("webhook-id");
    String time = headers.getFirst("webhook-timestamp");
    String signatures = headers.getFirst("webhook-signature");
    if (id == null || signatures == null || time == null || !time.matches("\\d{1,15}")) return false;
    if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(time)) > 300) return false;
    byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    mac.update((id + "." + time + ".").getBytes(StandardCharsets.UTF_8));
    byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
    for (String signature : signatures.split(" ")) {
      if (MessageDigest.isEqual(expected, signature.getBytes(StandardCharsets.UTF_8))) return true;
    }
    return false;
  }
  // end of the recipe

  public static void main(String[] arguments) throws Exception {
    String secret = System.getenv("WEBHOOK_SECRET");
    if (secret == null) throw new IllegalStateException("WEBHOOK_SECRET must be the destination's secret");
    int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "4400"));
    // In a real receiver a table: the same event may come twice, also after a restart.
    Set<String> seen = ConcurrentHashMap.newKeySet();

    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.setExecutor(Executors.newFixedThreadPool(4));
    server.createContext("/", exchange -> {
      int status = 500;
      try {
        byte[] body = exchange.getRequestBody().readNBytes(LIMIT + 1);
        if (body.length > LIMIT) {
          status = 413;
        } else if (!isGenuine(secret, exchange.getRequestHeaders(), body)) {
          status = 401;
        } else {
          // The signature covers the header as well: it is the event's id.
          String id = exchange.getRequestHeaders().getFirst("webhook-id");
          if (seen.add(id)) System.out.println(id + " " + body.length + " bytes");
          status = 204;
        }
      } catch (GeneralSecurityException error) {
        error.printStackTrace();
      }
      exchange.sendResponseHeaders(status, -1);
      exchange.close();
    });
    server.start();
    System.out.println("listening on " + server.getAddress().getPort());
  }
}
