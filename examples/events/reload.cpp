// Follow the events of `hlsl_tool watch --events ws://localhost:8765` and reload shaders, on Linux and macOS without a library.
//
//   c++ -std=c++17 reload.cpp -o reload && ./reload 8765
//
// A program of yours has a JSON reader and takes that; `text_of` finds only what this example needs.

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

/// A connection to the watcher: the client's side of a WebSocket (RFC 6455) that reads text.
class Events {
public:
    explicit Events(const char* port) {
        addrinfo hints{}, *found = nullptr;
        hints.ai_socktype = SOCK_STREAM;
        if (getaddrinfo("localhost", port, &hints, &found) != 0) return;
        for (addrinfo* at = found; at != nullptr && connection < 0; at = at->ai_next) {
            connection = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
            if (connection >= 0 && connect(connection, at->ai_addr, at->ai_addrlen) != 0) disconnect();
        }
        freeaddrinfo(found);
        if (connection >= 0 && !shake_hands(port)) disconnect();
    }
    ~Events() { disconnect(); }
    Events(const Events&) = delete;
    Events& operator=(const Events&) = delete;

    bool connected() const { return connection >= 0; }

    /// Wait for the next event and return true, or return false if the watcher has ended.
    bool next(std::string& event) {
        event.clear();
        for (;;) {
            std::uint8_t head[8];
            if (!take(head, 2)) return false;
            const bool last = head[0] & 0x80;
            const int kind = head[0] & 0x0f;
            std::uint64_t size = head[1] & 0x7f;
            if (size >= 126) {
                const int bytes = size == 126 ? 2 : 8;
                if (!take(head, bytes)) return false;
                size = 0;
                for (int i = 0; i < bytes; i++) size = size << 8 | head[i];
            }
            if (size > limit) return false;
            std::string payload(size, '\0');
            if (!take(payload.data(), size)) return false;
            if (kind == 8) return false;  // closed
            if (kind == 9) {              // a ping is answered with its bytes; clients mask, here by zeros
                std::string pong{char(0x8a), char(0x80 | (size & 0x7f)), 0, 0, 0, 0};
                pong += payload;
                if (!give(pong)) return false;
            } else if (kind <= 2) {
                event += payload;
                if (last) return true;
            }
        }
    }

private:
    static constexpr std::uint64_t limit = 64 << 20;
    int connection = -1;

    bool shake_hands(const char* port) {
        const std::string request = std::string("GET /events HTTP/1.1\r\nHost: localhost:") + port +
                                    "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                                    "Sec-WebSocket-Key: aGxzbF90b29sIGV2ZW50cw==\r\n\r\n";
        if (!give(request)) return false;
        std::string answer;
        for (char letter; answer.size() < 4096 && take(&letter, 1);) {
            answer += letter;
            if (answer.size() >= 4 && answer.compare(answer.size() - 4, 4, "\r\n\r\n") == 0) break;
        }
        return answer.compare(0, 12, "HTTP/1.1 101") == 0;
    }
    bool take(void* into, std::size_t size) {
        for (auto* at = static_cast<char*>(into); size > 0;) {
            const ssize_t count = recv(connection, at, size, 0);
            if (count <= 0) return false;
            at += count;
            size -= std::size_t(count);
        }
        return true;
    }
    bool give(const std::string& data) { return send(connection, data.data(), data.size(), 0) == ssize_t(data.size()); }
    void disconnect() {
        if (connection >= 0) close(connection);
        connection = -1;
    }
};

/// Return the text of the first `"key":"…"` in compact JSON, or an empty string.
static std::string text_of(const std::string& json, const std::string& key) {
    const std::string start = "\"" + key + "\":\"";
    const std::size_t found = json.find(start);
    std::string text;
    if (found == std::string::npos) return text;
    for (std::size_t at = found + start.size(); at < json.size() && json[at] != '"'; at++) {
        if (json[at] == '\\') at++;
        if (at < json.size()) text += json[at];
    }
    return text;
}

int main(int count, char** arguments) {
    const char* port = count > 1 ? arguments[1] : "8765";
    std::string event, root;
    std::signal(SIGPIPE, SIG_IGN);  // a watcher may end while this program answers it
    std::printf("waiting for a watcher at port %s\n", port);
    std::fflush(stdout);
    for (;; usleep(200'000)) {  // no watcher yet, or it was ended
        Events events(port);
        while (events.connected() && events.next(event)) {
            const std::string kind = text_of(event, "event"), name = text_of(event, "name");
            if (kind == "hello") {
                root = text_of(event, "root");
                std::printf("connected: %s\n", root.c_str());
            } else if (kind == "built") {  // make a new pipeline of this module
                std::printf("reload %s: %s/%s\n", name.c_str(), root.c_str(), text_of(event, "spv").c_str());
            } else if (kind == "failed") {  // keep the old one
                std::printf("keep %s: %s\n", name.c_str(), text_of(event, "message").c_str());
            }
            std::fflush(stdout);
        }
    }
}
