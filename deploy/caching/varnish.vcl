# Varnish in front of Skyfolio that keeps pictures of public folders for up to a second. Set the address; TLS is terminated in front
# of it. Explained in docs/operations.md, tried by `npm run check -- load:visits --caches`.
vcl 4.1;

backend gateway {
  .host = "127.0.0.1";
  .port = "8080";
  .first_byte_timeout = 600s;
}

sub vcl_recv {
  # The address of the connection: what clients write into the header themselves counts for nothing.
  set req.http.X-Forwarded-For = client.ip;

  # Renditions under public names: whoever has the name may have the picture, so it is the same for everybody.
  if ((req.method == "GET" || req.method == "HEAD") && !req.http.Authorization &&
      req.url ~ "^/api/uploads/s-[0-9a-z]+-[0-9a-z]+-[0-9a-z]+-([stmp]-[\w-]+\.webp|c-[\w-]+\.jpg)$") {
    unset req.http.Cookie;
    return (hash);
  }
  return (pass);
}

sub vcl_backend_response {
  # Nothing is used after its time; the gateway is asked whether what has expired is still the same.
  set beresp.grace = 0s;
  set beresp.keep = 10s;
  # Otherwise Varnish would remember for two minutes not to keep what was missing or failed for a moment.
  if (!bereq.uncacheable && beresp.status != 200 && beresp.status != 304) {
    set beresp.ttl = 1s;
    set beresp.uncacheable = true;
    return (deliver);
  }
}

sub vcl_deliver {
  if (obj.hits > 0) {
    set resp.http.X-Cache = "HIT";
  } else {
    set resp.http.X-Cache = "MISS";
  }
}
